/* HeCBench openmp-cuda, kernel addConstant (BSD-3-Clause, NVIDIA Corporation). */
void addConstant(int *g_a, const int b, const int repeat, const int nwords)
{
    for (int idx = 0; idx < nwords; idx++)
        for (int i = 0; i < repeat; i++)
            g_a[idx] += i % b;
}
