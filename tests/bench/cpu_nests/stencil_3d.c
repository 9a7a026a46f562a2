void stencil_3d(long n, const float *restrict a, float *restrict b) {
    for (long i = 1; i < n - 1; i++)
        for (long j = 1; j < n - 1; j++)
            for (long k = 1; k < n - 1; k++)
                b[(i * n + j) * n + k] = 0.5f * a[(i * n + j) * n + k] +
                    0.1f * (a[(i * n + j) * n + k - 1] + a[(i * n + j) * n + k + 1] + a[(i * n + j - 1) * n + k] +
                            a[(i * n + j + 1) * n + k] + a[((i - 1) * n + j) * n + k] + a[((i + 1) * n + j) * n + k]);
}
