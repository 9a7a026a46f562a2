void gemm_ikj(long n, const double *a, const double *b, double *c) {
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++)
            for (long j = 0; j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
