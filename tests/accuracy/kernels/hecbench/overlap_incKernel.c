/* HeCBench overlap, kernel incKernel (BSD-3-Clause). */
void incKernel(int *g_out, const int *g_in, int N, int inner_reps)
{
    for (int idx = 0; idx < N; idx++) {
        for (int i = 0; i < inner_reps; ++i) {
            g_out[idx] = (i == 0 ? g_in[idx] : g_out[idx]) + 1;
        }
    }
}
