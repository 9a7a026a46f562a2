/* HeCBench remap-cuda, kernel remap_kernel (BSD-3-Clause). */
void remap_kernel(const int *second_order, const int *first_order, int *output, const int N, const int K)
{
    // warplens: output has no shared elements
    for (int i = 0; i < K; i++) {
        int idx = second_order[i];
        output[first_order[idx]] = i;
        for (idx++; idx < N && (i == K - 1 || idx != second_order[i + 1]); idx++) {
            output[first_order[idx]] = i;
        }
    }
}
