void gemm_ijk(long n, const double *restrict a, const double *restrict b, double *restrict c) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            double sum = 0.0;
            for (long k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}
void gemm_ikj(long n, const double *restrict a, const double *restrict b, double *restrict c) {
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++)
            for (long j = 0; j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
void gemm_jki(long n, const double *restrict a, const double *restrict b, double *restrict c) {
    for (long j = 0; j < n; j++)
        for (long k = 0; k < n; k++)
            for (long i = 0; i < n; i++) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
void gemm_nt_float(int n, const float *restrict a, const float *restrict b, float *restrict c) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0.0f;
            for (int k = 0; k < n; k++) sum += a[i * n + k] * b[j * n + k];
            c[i * n + j] = sum;
        }
}
void gemm_memory_sum(int n, const double *a, const double *b, double *c) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
void matvec_rows(long n, const double *restrict a, const double *restrict x, double *restrict y) {
    for (long i = 0; i < n; i++) {
        double sum = 0.0;
        for (long j = 0; j < n; j++) sum += a[i * n + j] * x[j];
        y[i] = sum;
    }
}
void matvec_transposed(long n, const double *restrict a, const double *restrict x, double *restrict y) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) y[j] += a[i * n + j] * x[i];
}
void outer_product(long n, const float *restrict x, const float *restrict y, float *restrict a) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) a[i * n + j] += x[i] * y[j];
}
void gemm_int(int n, const int *restrict a, const int *restrict b, int *restrict c) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int sum = 0;
            for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}
