void transpose(long n, const double *restrict a, double *restrict b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) b[j * n + i] = a[i * n + j];
}
