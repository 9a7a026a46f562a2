/* HeCBench mask-cuda, kernel sequenceMaskKernel (BSD-3-Clause). Of the two branches on B the one that ran. */
void sequenceMaskKernel(int N, int M, int B, const int *in, const int *seq_lengths, int fill_val, int *out)
{
    for (int index = 0; index < B * N * M; index++) {
        int k = index % M;
        int j = (index - k) / M % N;
        int i = (index - M * j - k) / (N * M);
        int ind = N * M * i + M * j + k;
        out[ind] = (k >= seq_lengths[j] ? fill_val : in[ind]);
    }
}
