/* Accelerations of n bodies by all of them. */
#include <math.h>
void nbody(int n, const float x[n], const float y[n], const float z[n], const float mass[n], float ax[n], float ay[n],
           float az[n])
{
    // warplens: n = 32768
    for (int i = 0; i < n; i++) {
        float fx = 0, fy = 0, fz = 0;
        for (int j = 0; j < n; j++) {
            float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            float d = dx * dx + dy * dy + dz * dz + 0.01f;
            float w = mass[j] / (d * sqrtf(d));
            fx += w * dx;
            fy += w * dy;
            fz += w * dz;
        }
        ax[i] = fx;
        ay[i] = fy;
        az[i] = fz;
    }
}
