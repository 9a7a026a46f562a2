/* HeCBench randomAccess-cuda, kernel initTable (BSD-3-Clause). */
typedef unsigned long long int u64Int;

void initTable(u64Int *Table, const u64Int TableSize)
{
    for (int i = 0; i < TableSize; i++)
        Table[i] = i;
}
