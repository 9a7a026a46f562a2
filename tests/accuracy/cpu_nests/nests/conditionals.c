void relu(long n, const float *restrict a, float *restrict b) {
    for (long i = 0; i < n; i++) b[i] = a[i] > 0.0f ? a[i] : 0.0f;
}
void clip(long n, double *a, double low, double high) {
    for (long i = 0; i < n; i++) {
        if (a[i] < low) a[i] = low;
        if (a[i] > high) a[i] = high;
    }
}
void select_int(long n, const int *restrict m, const int *restrict a, const int *restrict b, int *restrict c) {
    for (long i = 0; i < n; i++) c[i] = m[i] ? a[i] : b[i];
}
double sum_above(long n, const double *a, double limit) {
    double sum = 0.0;
    for (long i = 0; i < n; i++)
        if (a[i] > limit) sum += a[i];
    return sum;
}
void store_where(long n, const int *restrict m, const float *restrict a, float *restrict b) {
    for (long i = 0; i < n; i++)
        if (m[i] > 0) b[i] = a[i] * 2.0f;
}
void upwind(long n, const double *restrict u, const double *restrict q, double *restrict f) {
    for (long i = 1; i < n - 1; i++) f[i] = u[i] > 0.0 ? u[i] * (q[i] - q[i - 1]) : u[i] * (q[i + 1] - q[i]);
}
