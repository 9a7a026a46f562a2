/* HeCBench minkowski-cuda, kernel minkowski (BSD-3-Clause). */
#include <math.h>

#define m 512
#define n 1024
#define k 2048

void minkowski(const float *restrict a, const float *restrict b, float *restrict c, const float p, const float one_over_p)
{
    for (int row = 0; row < m; row++)
        for (int col = 0; col < k; col++) {
            float sum = 0;
            for (int i = 0; i < n; i++) {
                sum += powf(fabsf(a[row * n + i] - b[i * k + col]), p);
            }
            c[row * k + col] = powf(sum, one_over_p);
        }
}
