/* HeCBench langevin-cuda, kernel k2 (BSD-2-Clause, (c) 2018-2021 Norbert Juffa). */
#include <math.h>
void k2(const int n, const float *restrict a, float *restrict o)
{
    for (int t = 0; t < n; t++) {
        float x = a[t];
        float s, r;
        s = x * x;
        r = 7.70960469e-8f;
        r = fmaf(r, s, -1.65101926e-6f);
        r = fmaf(r, s, 2.03457112e-5f);
        r = fmaf(r, s, -2.10521728e-4f);
        r = fmaf(r, s, 2.11580913e-3f);
        r = fmaf(r, s, -2.22220998e-2f);
        r = fmaf(r, s, 8.33333284e-2f);
        r = fmaf(r, x, 0.25f * x);
        o[t] = r;
    }
}
