void jacobi_2d(long n, const double *restrict a, double *restrict b) {
    for (long i = 1; i < n - 1; i++)
        for (long j = 1; j < n - 1; j++)
            b[i * n + j] = 0.2 * (a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] + a[(i - 1) * n + j] + a[(i + 1) * n + j]);
}
