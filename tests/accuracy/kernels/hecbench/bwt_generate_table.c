/* HeCBench bwt, kernel generate_table (BSD-3-Clause). Each thread had one trip of its grid-stride loop. */
void generate_table(int *table, int table_size, int n)
{
    for (int i = 0; i < table_size; i++)
        table[i] = (i < n) ? i : -1;
}
