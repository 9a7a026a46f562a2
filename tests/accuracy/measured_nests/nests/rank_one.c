/* The update of an LU step, an outer product. */
void rank_one(int n, const float u[n], const float v[n], float a[n][n])
{
    // warplens: n = 8192
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] -= u[i] * v[j];
}
