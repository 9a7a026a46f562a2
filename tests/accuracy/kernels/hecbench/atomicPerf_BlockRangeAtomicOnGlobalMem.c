/* HeCBench atomicPerf-cuda, kernel BlockRangeAtomicOnGlobalMem<double> (BSD-3-Clause). threadIdx.x as i & 255. */
void BlockRangeAtomicOnGlobalMem(double *data, int n)
{
    for (unsigned int i = 0; i < n; i++) {
        data[i & 255] += (double)1;
    }
}
