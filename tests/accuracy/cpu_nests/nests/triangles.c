void lower_matvec(long n, const double *restrict a, const double *restrict x, double *restrict y) {
    for (long i = 0; i < n; i++) {
        double sum = 0.0;
        for (long j = 0; j <= i; j++) sum += a[i * n + j] * x[j];
        y[i] = sum;
    }
}
void syrk_lower(int n, const double *restrict a, double *restrict c) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j <= i; j++) c[i * n + j] += a[i * n + k] * a[j * n + k];
}
void rank_one_lower(long n, const float *restrict x, float *restrict a) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j <= i; j++) a[i * n + j] -= x[i] * x[j];
}
void pairs_within(int n, const float *restrict x, const float *restrict y, int *restrict count) {
    for (int i = 0; i < n; i++) {
        int near = 0;
        for (int j = i + 1; j < n; j++) {
            float dx = x[i] - x[j], dy = y[i] - y[j];
            near += dx * dx + dy * dy < 0.1f;
        }
        count[i] = near;
    }
}
void back_substitution(long n, const double *restrict u, const double *restrict b, double *restrict x) {
    for (long i = n - 1; i >= 0; i--) {
        double sum = b[i];
        for (long j = i + 1; j < n; j++) sum -= u[i * n + j] * x[j];
        x[i] = sum / u[i * n + i];
    }
}
