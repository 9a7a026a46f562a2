/* HeCBench langevin-cuda, kernel k0 (BSD-3-Clause). */
#include <math.h>
void k0(const int n, const float *restrict a, float *restrict o)
{
    for (int t = 0; t < n; t++) {
        float x = a[t];
        o[t] = coshf(x) / sinhf(x) - 1.f / x;
    }
}
