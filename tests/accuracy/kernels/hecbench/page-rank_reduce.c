/* HeCBench page-rank-cuda, kernel reduce (BSD-3-Clause; MIT, Erick Lavoie et al.). */
#include <math.h>

#define D_FACTOR (0.85f)

void reduce(float *restrict page_ranks, const float *restrict maps, const int n, float *restrict dif)
{
    for (int j = 0; j < n; j++) {
        int i;
        float new_rank;
        float old_rank;

        old_rank = page_ranks[j];
        new_rank = 0.0f;
        for (i = 0; i < n; ++i) {
            new_rank += maps[i * n + j];
        }

        new_rank = ((1.f - D_FACTOR) / n) + (D_FACTOR * new_rank);
        dif[j] = fmaxf(fabsf(new_rank - old_rank), dif[j]);
        page_ranks[j] = new_rank;
    }
}
