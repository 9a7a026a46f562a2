/* HeCBench meanshift-cuda, kernel mean_shift (BSD-3-Clause). */
#include <math.h>

#define RADIUS 60.f
#define SIGMA 4.f
#define DBL_SIGMA_SQ (2 * SIGMA * SIGMA)
#define N 10000
#define D 3

void mean_shift(const float *data, float *data_next)
{
    for (unsigned long tid = 0; tid < N; tid++) {
        unsigned long row = tid * D;
        float new_position[D] = {0.f};
        float tot_weight = 0.f;
        for (unsigned long i = 0; i < N; ++i) {
            unsigned long row_n = i * D;
            float sq_dist = 0.f;
            for (unsigned long j = 0; j < D; ++j) {
                sq_dist += (data[row + j] - data[row_n + j]) * (data[row + j] - data[row_n + j]);
            }
            if (sq_dist <= RADIUS) {
                float weight = expf(-sq_dist / DBL_SIGMA_SQ);
                for (unsigned long j = 0; j < D; ++j) {
                    new_position[j] += weight * data[row_n + j];
                }
                tot_weight += weight;
            }
        }
        for (unsigned long j = 0; j < D; ++j) {
            data_next[row + j] = new_position[j] / tot_weight;
        }
    }
}
