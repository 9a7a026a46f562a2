/* Three points. */
void jacobi_1d(int n, const float *restrict a, float *restrict b)
{
    // warplens: n = 33554432
    for (int i = 1; i < n - 1; i++)
        b[i] = 0.33333f * (a[i - 1] + a[i] + a[i + 1]);
}
