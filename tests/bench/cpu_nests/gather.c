void gather(long n, const int *restrict index, const double *restrict x, double *restrict y) {
    for (long i = 0; i < n; i++) y[i] = x[index[i]];
}
