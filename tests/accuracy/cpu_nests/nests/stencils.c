void jacobi_1d(long n, const double *a, double *b) {
    for (long i = 1; i < n - 1; i++) b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1]);
}
void jacobi_2d(long n, const double *restrict a, double *restrict b) {
    for (long i = 1; i < n - 1; i++)
        for (long j = 1; j < n - 1; j++)
            b[i * n + j] =
                0.2 * (a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] + a[(i + 1) * n + j] + a[(i - 1) * n + j]);
}
void box_2d_float(long n, const float *restrict a, float *restrict b) {
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            b[i * n + j] = (a[(i - 1) * n + j - 1] + a[(i - 1) * n + j] + a[(i - 1) * n + j + 1] + a[i * n + j - 1] +
                            a[i * n + j] + a[i * n + j + 1] + a[(i + 1) * n + j - 1] + a[(i + 1) * n + j] +
                            a[(i + 1) * n + j + 1]) *
                           0.1111f;
}
void heat_3d(long n, const double *restrict a, double *restrict b) {
    for (long i = 1; i < n - 1; i++)
        for (long j = 1; j < n - 1; j++)
            for (long k = 1; k < n - 1; k++)
                b[(i * n + j) * n + k] =
                    0.125 * (a[((i + 1) * n + j) * n + k] - 2.0 * a[(i * n + j) * n + k] + a[((i - 1) * n + j) * n + k]) +
                    0.125 * (a[(i * n + j + 1) * n + k] - 2.0 * a[(i * n + j) * n + k] + a[(i * n + j - 1) * n + k]) +
                    0.125 * (a[(i * n + j) * n + k + 1] - 2.0 * a[(i * n + j) * n + k] + a[(i * n + j) * n + k - 1]) +
                    a[(i * n + j) * n + k];
}
void laplace_3d_float(long n, const float *restrict a, float *restrict b) {
    for (long i = 1; i < n - 1; i++)
        for (long j = 1; j < n - 1; j++)
            for (long k = 1; k < n - 1; k++)
                b[(i * n + j) * n + k] = a[((i + 1) * n + j) * n + k] + a[((i - 1) * n + j) * n + k] +
                                         a[(i * n + j + 1) * n + k] + a[(i * n + j - 1) * n + k] +
                                         a[(i * n + j) * n + k + 1] + a[(i * n + j) * n + k - 1] -
                                         6.0f * a[(i * n + j) * n + k];
}
void gauss_seidel_2d(long n, double *a) {
    for (long i = 1; i < n - 1; i++)
        for (long j = 1; j < n - 1; j++)
            a[i * n + j] =
                0.25 * (a[i * n + j - 1] + a[i * n + j + 1] + a[(i - 1) * n + j] + a[(i + 1) * n + j]);
}
void fdtd_ey(long n, double *restrict ey, const double *restrict hz) {
    for (int i = 1; i < n; i++)
        for (int j = 0; j < n; j++) ey[i * n + j] = ey[i * n + j] - 0.5 * (hz[i * n + j] - hz[(i - 1) * n + j]);
}
void wave_vla(int n, double next[restrict n][n], double now[n][n], double before[n][n]) {
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            next[i][j] = 2.0 * now[i][j] - before[i][j] +
                         0.1 * (now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1] - 4.0 * now[i][j]);
}
