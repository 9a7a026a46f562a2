/* Seven points. */
void heat_3d(int n, const float a[n][n][n], float b[n][n][n])
{
    // warplens: n = 384
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            for (int k = 1; k < n - 1; k++)
                b[i][j][k] = a[i][j][k]
                    + 0.125f * (a[i + 1][j][k] - 2.0f * a[i][j][k] + a[i - 1][j][k])
                    + 0.125f * (a[i][j + 1][k] - 2.0f * a[i][j][k] + a[i][j - 1][k])
                    + 0.125f * (a[i][j][k + 1] - 2.0f * a[i][j][k] + a[i][j][k - 1]);
}
