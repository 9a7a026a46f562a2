/* HeCBench perplexity-cuda, kernel sigmas_kernel<int, float> (Apache-2.0, (c) 2021 NVIDIA Corporation). __expf, __logf and
   __fdividef as expf, logf and a division. */
#include <math.h>
#define FLT_EPSILON 1.19209289550781250000e-7F
void sigmas_kernel(const float *restrict distances, float *restrict P, const float perplexity, const float desired_entropy,
                   const int epochs, const float tol, const int n, const int k)
{
    for (int i = 0; i < n; i++) {
        float beta_min = -INFINITY, beta_max = INFINITY;
        float beta = 1;
        const int ik = i * k;
        int step;

        for (step = 0; step < epochs; step++) {
            float sum_Pi = FLT_EPSILON;

            for (int j = 0; j < k; j++) {
                P[ik + j] = expf(-distances[ik + j] * beta);
                sum_Pi += P[ik + j];
            }

            float sum_disti_Pi = 0;
            const float div = 1.0f / sum_Pi;
            for (int j = 0; j < k; j++) {
                P[ik + j] *= div;
                sum_disti_Pi += distances[ik + j] * P[ik + j];
            }

            const float entropy = logf(sum_Pi) + beta * sum_disti_Pi;
            const float entropy_diff = entropy - desired_entropy;
            if (fabsf(entropy_diff) <= tol) {
                break;
            }

            if (entropy_diff > 0) {
                beta_min = beta;
                if (isinf(beta_max))
                    beta *= 2.0f;
                else
                    beta = (beta + beta_max) * 0.5f;
            } else {
                beta_max = beta;
                if (isinf(beta_min))
                    beta *= 0.5f;
                else
                    beta = (beta + beta_min) * 0.5f;
            }
        }
    }
}
