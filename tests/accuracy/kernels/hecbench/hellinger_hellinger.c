/* HeCBench hellinger-cuda, kernel hellinger (BSD-3-Clause). */
#include <math.h>
void hellinger(const float *restrict a, const float *restrict b, float *restrict c, const int m, const int n, const int k)
{
    for (int row = 0; row < m; row++)
        for (int col = 0; col < k; col++) {
            float sum = 0;
            for (int i = 0; i < n; i++) {
                sum += sqrtf(a[row * n + i] * b[i * k + col]);
            }
            const float value = (float)1.0 - sum;
            const float gate = (!signbit(value));
            c[row * k + col] = sqrtf(gate * value);
        }
}
