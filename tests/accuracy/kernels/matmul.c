/* Product of two n x n matrices, row by column. */
void matmul(int n, const float *restrict m, const float *restrict b, float *restrict p) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float s = 0;
            for (int k = 0; k < n; k++)
                s += m[i * n + k] * b[k * n + j];
            p[i * n + j] = s;
        }
}
