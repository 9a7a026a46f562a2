#include <math.h>
void exp_map(long n, const double *restrict x, double *restrict y) {
    for (long i = 0; i < n; i++) y[i] = exp(x[i]);
}
void expf_map(long n, const float *restrict x, float *restrict y) {
    for (long i = 0; i < n; i++) y[i] = expf(x[i]);
}
void sqrt_map(long n, const double *restrict x, double *restrict y) {
    for (long i = 0; i < n; i++) y[i] = sqrt(x[i]);
}
void sqrtf_map(long n, const float *restrict x, float *restrict y) {
    for (long i = 0; i < n; i++) y[i] = sqrtf(x[i]);
}
void pow_map(long n, const double *restrict x, double *restrict y) {
    for (long i = 0; i < n; i++) y[i] = pow(x[i], 1.7);
}
void sin_map(long n, const double *restrict x, double *restrict y) {
    for (long i = 0; i < n; i++) y[i] = sin(x[i]);
}
void sinf_map(long n, const float *restrict x, float *restrict y) {
    for (long i = 0; i < n; i++) y[i] = sinf(x[i]);
}
void log_map(long n, const double *restrict x, double *restrict y) {
    for (long i = 0; i < n; i++) y[i] = log(x[i] + 1.0);
}
void logistic(long n, const float *restrict x, float *restrict y) {
    for (long i = 0; i < n; i++) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
void lengths(long n, const double *restrict x, const double *restrict y, const double *restrict z,
             double *restrict r) {
    for (long i = 0; i < n; i++) r[i] = 1.0 / sqrt(x[i] * x[i] + y[i] * y[i] + z[i] * z[i] + 0.01);
}
void cosine_table(int n, double *restrict table) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) table[i * n + j] = cos(3.14159 * i * j / n);
}
double absolute_sum(long n, const double *x) {
    double sum = 0.0;
    for (long i = 0; i < n; i++) sum += fabs(x[i]);
    return sum;
}
