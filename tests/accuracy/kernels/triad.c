/* y = a + 3 b over an n x n matrix, as one long array. */
void triad(int n, const float *restrict a, const float *restrict b, float *restrict c) {
    for (long i = 0; i < (long)n * n; i++)
        c[i] = a[i] + 3 * b[i];
}
