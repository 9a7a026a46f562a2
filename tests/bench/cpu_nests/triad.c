void triad(long n, double s, const double *b, const double *c, double *a) {
    for (long i = 0; i < n; i++) a[i] = b[i] + s * c[i];
}
