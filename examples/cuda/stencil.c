/* One step of heat diffusion: every inner point becomes the mean of its neighbours. */
// warplens: n = 8192

void stencil(int n, const double *restrict old, double *restrict new_)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            new_[i * n + j] = 0.25 * (old[(i - 1) * n + j] + old[(i + 1) * n + j]
                                      + old[i * n + j - 1] + old[i * n + j + 1]);
}
