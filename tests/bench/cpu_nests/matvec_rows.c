void matvec_rows(long n, const double *a, const double *x, double *y) {
    for (long i = 0; i < n; i++) {
        double sum = 0.0;
        for (long j = 0; j < n; j++) sum += a[i * n + j] * x[j];
        y[i] = sum;
    }
}
