void prefix_sum(long n, double *a) {
    for (long i = 1; i < n; i++) a[i] += a[i - 1];
}
