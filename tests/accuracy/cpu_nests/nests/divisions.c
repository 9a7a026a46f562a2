void divide_double(long n, const double *restrict a, const double *restrict b, double *restrict c) {
    for (long i = 0; i < n; i++) c[i] = a[i] / b[i];
}
void divide_float(long n, const float *restrict a, const float *restrict b, float *restrict c) {
    for (long i = 0; i < n; i++) c[i] = a[i] / b[i];
}
void divide_int(long n, const int *restrict a, const int *restrict b, int *restrict c) {
    for (long i = 0; i < n; i++) c[i] = a[i] / b[i];
}
void modulo_seven(long n, const int *restrict a, int *restrict b) {
    for (long i = 0; i < n; i++) b[i] = a[i] % 7;
}
void modulo_long(long n, const long *restrict a, long m, long *restrict b) {
    for (long i = 0; i < n; i++) b[i] = a[i] % m;
}
void scale_by_reciprocal(long n, const float *restrict a, float s, float *restrict b) {
    for (long i = 0; i < n; i++) b[i] = a[i] / s;
}
double harmonic(long n) {
    double sum = 0.0;
    for (long i = 1; i <= n; i++) sum += 1.0 / i;
    return sum;
}
