/* HeCBench adam-cuda, kernel adam (BSD-3-Clause). */
#include <math.h>

typedef enum { ADAM_MODE_0 = 0, ADAM_MODE_1 = 1 } adamMode_t;

void adam(float *restrict p, float *restrict m, float *restrict v, const float *restrict g, const float b1, const float b2,
          const float eps, const float grad_scale, const float step_size, const int time_step, const unsigned long vector_size,
          adamMode_t mode, const float decay)
{
    for (unsigned long j = 0; j < vector_size; j++) {
        for (int t = 1; t <= time_step; t++) {
            float scaled_grad = g[j] / grad_scale;
            m[j] = b1 * m[j] + (1.f - b1) * scaled_grad;
            v[j] = b2 * v[j] + (1.f - b2) * scaled_grad * scaled_grad;
            float m_corrected = m[j] / (1.f - powf(b1, t));
            float v_corrected = v[j] / (1.f - powf(b2, t));
            float denom;
            if (mode == ADAM_MODE_0)
                denom = sqrtf(v_corrected + eps);
            else
                denom = sqrtf(v_corrected) + eps;
            float update = (m_corrected / denom) + (decay * p[j]);
            p[j] -= (step_size * update);
        }
    }
}
