void vecadd(long n, const float *a, const float *b, float *c) {
    for (long i = 0; i < n; i++) c[i] = a[i] + b[i];
}
