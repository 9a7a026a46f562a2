/* HeCBench mcpr-cuda, kernel compute_probs_unitStrides (BSD-3-Clause). */
void compute_probs_unitStrides(const double *restrict alphas, const double *restrict rands, double *restrict probs, int n, int K,
                               int M)
{
    // warplens: probs has no shared elements
    for (int i = 0; i < n; i++) {
        double maxval;
        int m, k;
        int maxind;
        double M_d = (double)M;
        double w[21];

        for (k = 0; k < K; ++k) {
            probs[k * n + i] = 0.0;
        }

        for (m = 0; m < M; ++m) {
            for (k = 0; k < K; ++k) {
                w[k] = alphas[k * n + i] + rands[k * M + m];
            }

            maxind = K - 1;
            maxval = w[K - 1];
            for (k = 0; k < (K - 1); ++k) {
                if (w[k] > maxval) {
                    maxind = k;
                    maxval = w[k];
                }
            }
            probs[maxind * n + i] += 1.0;
        }

        for (k = 0; k < K; ++k) {
            probs[k * n + i] /= M_d;
        }
    }
}
