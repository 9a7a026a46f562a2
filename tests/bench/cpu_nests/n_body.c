#include <math.h>
void n_body(long n, const float *restrict x, const float *restrict y, const float *restrict z, float *restrict ax) {
    for (long i = 0; i < n; i++) {
        float sum = 0.0f;
        for (long j = 0; j < n; j++) {
            float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            float r2 = dx * dx + dy * dy + dz * dz + 0.01f;
            sum += dx / (r2 * sqrtf(r2));
        }
        ax[i] = sum;
    }
}
