/* c = alpha a^T b^T + beta c; all three stored by columns of c, as BLAS does. The measured launches are one batch.
   The inner loop is unrolled by two, as in the measured source (KWI of CLBlast). */
void gemm(int batches, int m, int n, int k, float alpha, float beta, const float *restrict a, const float *restrict b,
          float *restrict c) {
    for (int batch = 0; batch < batches; batch++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++) {
                float s = 0;
                for (int l = 0; l < k; l += 2) {
                    s += a[l * m + i] * b[l * n + j];
                    s += a[(l + 1) * m + i] * b[(l + 1) * n + j];
                }
                c[(batch * n + j) * m + i] = alpha * s + beta * c[(batch * n + j) * m + i];
            }
}
