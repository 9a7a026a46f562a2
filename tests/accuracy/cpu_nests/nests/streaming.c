void copy_double(long n, const double *restrict a, double *restrict b) {
    for (long i = 0; i < n; i++) b[i] = a[i] * 1.5;
}
void triad_double(long n, double s, double *restrict a, const double *restrict b, const double *restrict c) {
    for (long i = 0; i < n; i++) a[i] = b[i] + s * c[i];
}
void saxpy_float(long n, float s, const float *x, float *y) {
    for (long i = 0; i < n; i++) y[i] = s * x[i] + y[i] * 0.5f;
}
void add_int(long n, const int *a, const int *b, int *c) {
    for (long i = 0; i < n; i++) c[i] = a[i] + b[i];
}
void fill_float(long n, float *a, float value) {
    for (long i = 0; i < n; i++) a[i] = value;
}
void ramp_double(long n, double *a, double step) {
    for (int i = 0; i < n; i++) a[i] = i * step;
}
void reverse_float(long n, const float *restrict a, float *restrict b) {
    for (long i = 0; i < n; i++) b[i] = a[n - 1 - i];
}
void update_many(long n, double *restrict a, const double *restrict b, const double *restrict c,
                 const double *restrict d, const double *restrict e) {
    for (long i = 0; i < n; i++) a[i] = b[i] * c[i] + d[i] * e[i];
}
