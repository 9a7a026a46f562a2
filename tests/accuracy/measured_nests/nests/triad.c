/* STREAM's triad. */
void triad(int n, double s, const double *restrict b, const double *restrict c, double *restrict a)
{
    // warplens: n = 16777216
    for (int i = 0; i < n; i++)
        a[i] = b[i] + s * c[i];
}
