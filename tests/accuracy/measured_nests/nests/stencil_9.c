/* Nine points in double precision. */
void stencil_9(int n, const double *restrict a, double *restrict b)
{
    // warplens: n = 4096
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            b[i * n + j] = 0.25 * a[i * n + j]
                + 0.125 * (a[i * n + j - 1] + a[i * n + j + 1] + a[(i - 1) * n + j] + a[(i + 1) * n + j])
                + 0.0625 * (a[(i - 1) * n + j - 1] + a[(i - 1) * n + j + 1] + a[(i + 1) * n + j - 1] + a[(i + 1) * n + j + 1]);
}
