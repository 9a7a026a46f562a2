/* BLAS' matrix product on rows in one array. */
void dgemm_linear(int n, int m, int l, double alpha, double beta, const double *restrict a, const double *restrict b,
                  double *restrict c)
{
    // warplens: n = 2048, m = 2048, l = 2048
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double sum = 0;
            for (int k = 0; k < l; k++)
                sum += a[i * l + k] * b[k * m + j];
            c[i * m + j] = alpha * sum + beta * c[i * m + j];
        }
}
