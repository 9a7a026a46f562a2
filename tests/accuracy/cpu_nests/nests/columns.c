void transpose(long n, const double *restrict a, double *restrict b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) b[j * n + i] = a[i * n + j];
}
void transpose_byte(long n, const unsigned char *restrict a, unsigned char *restrict b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) b[i * n + j] = a[j * n + i];
}
void column_sums(long n, const double *restrict a, double *restrict s) {
    for (long j = 0; j < n; j++) {
        double sum = 0.0;
        for (long i = 0; i < n; i++) sum += a[i * n + j];
        s[j] = sum;
    }
}
void column_sums_float(int n, float a[n][n], float *s) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) s[j] += a[i][j];
}
void column_scale(long n, double *restrict a, const double *restrict s) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) a[i * n + j] = a[i * n + j] * s[j] + 0.5;
}
void column_add(long n, const float *restrict a, const float *restrict b, float *restrict c) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) c[i * n + j] = a[i * n + j] + b[i * n + j];
}
void row_sums(long n, const float *restrict a, float *restrict s) {
    for (long i = 0; i < n; i++) {
        float sum = 0.0f;
        for (long j = 0; j < n; j++) sum += a[i * n + j];
        s[i] = sum;
    }
}
void every_eighth(long n, const double *restrict a, double *restrict b) {
    for (long i = 0; i < n; i++) b[i] = a[8 * i];
}
void every_second(long n, const float *restrict a, float *restrict b) {
    for (long i = 0; i < n; i++) b[i] = a[2 * i] + a[2 * i + 1];
}
