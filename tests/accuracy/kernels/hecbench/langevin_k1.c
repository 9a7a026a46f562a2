/* HeCBench langevin-cuda, kernel k1 (BSD-3-Clause). */
#include <math.h>
void k1(const int n, const float *restrict a, float *restrict o)
{
    for (int t = 0; t < n; t++) {
        float x = a[t];
        o[t] = 1.f / tanhf(x) - 1.f / x;
    }
}
