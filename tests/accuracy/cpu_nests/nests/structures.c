#include <math.h>
struct particle { float x, y, z, vx, vy, vz; };
struct point { double x, y; };
void move(long n, struct particle *p, float dt) {
    for (long i = 0; i < n; i++) {
        p[i].x += p[i].vx * dt;
        p[i].y += p[i].vy * dt;
        p[i].z += p[i].vz * dt;
    }
}
double sum_field(long n, const struct point *p) {
    double sum = 0.0;
    for (long i = 0; i < n; i++) sum += p[i].x;
    return sum;
}
void complex_multiply(long n, const double *restrict a, const double *restrict b, double *restrict c) {
    for (long i = 0; i < n; i++) {
        c[2 * i] = a[2 * i] * b[2 * i] - a[2 * i + 1] * b[2 * i + 1];
        c[2 * i + 1] = a[2 * i] * b[2 * i + 1] + a[2 * i + 1] * b[2 * i];
    }
}
void complex_multiply_apart(long n, const float *restrict ar, const float *restrict ai, const float *restrict br,
                            const float *restrict bi, float *restrict cr, float *restrict ci) {
    for (long i = 0; i < n; i++) {
        cr[i] = ar[i] * br[i] - ai[i] * bi[i];
        ci[i] = ar[i] * bi[i] + ai[i] * br[i];
    }
}
void centre_distance(long n, const struct point *restrict p, double *restrict d) {
    for (long i = 0; i < n; i++) d[i] = p[i].x * p[i].x + p[i].y * p[i].y;
}
void n_body(long n, const float *restrict x, const float *restrict y, const float *restrict z, float *restrict f) {
    for (long i = 0; i < n; i++) {
        float sum = 0.0f;
        for (long j = 0; j < n; j++) {
            float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            float r = dx * dx + dy * dy + dz * dz + 0.01f;
            sum += 1.0f / (r * sqrtf(r));
        }
        f[i] = sum;
    }
}
