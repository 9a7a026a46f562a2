/* Five points. */
void jacobi_2d(int n, const float a[n][n], float b[n][n])
{
    // warplens: n = 8192
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            b[i][j] = 0.2f * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i - 1][j] + a[i + 1][j]);
}
