/* All pairs of points in l dimensions. */
#include <math.h>
void distances(int n, int l, const float x[n][l], const float y[n][l], float d[n][n])
{
    // warplens: n = 4096, l = 32
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int k = 0; k < l; k++)
                sum += (x[i][k] - y[j][k]) * (x[i][k] - y[j][k]);
            d[i][j] = sqrtf(sum);
        }
}
