/* HeCBench atomicPerf-cuda, kernel WarpRangeAtomicOnGlobalMem<double> (BSD-3-Clause). */
void WarpRangeAtomicOnGlobalMem(double *data, int n)
{
    for (unsigned int i = 0; i < n; i++) {
        data[i & 0x1F] += (double)1;
    }
}
