/* HeCBench mcpr-cuda, kernel compute_probs (BSD-3-Clause). */
void compute_probs(const double *restrict alphas, const double *restrict rands, double *restrict probs, int n, int K, int M)
{
    // warplens: probs has no shared elements
    for (int i = 0; i < n; i++) {
        double maxval;
        int m, k;
        int maxind;
        double M_d = (double)M;
        double w[21];

        for (k = 0; k < K; ++k) {
            probs[i * K + k] = 0.0;
        }

        for (m = 0; m < M; ++m) {
            for (k = 0; k < K; ++k) {
                w[k] = alphas[i * K + k] + rands[m * K + k];
            }

            maxind = K - 1;
            maxval = w[K - 1];
            for (k = 0; k < (K - 1); ++k) {
                if (w[k] > maxval) {
                    maxind = k;
                    maxval = w[k];
                }
            }
            probs[i * K + maxind] += 1.0;
        }

        for (k = 0; k < K; ++k) {
            probs[i * K + k] /= M_d;
        }
    }
}
