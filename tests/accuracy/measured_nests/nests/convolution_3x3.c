/* PolyBench's 2-D convolution: the filter is in the text. */
void convolution_3x3(int n, int m, const float a[n][m], float b[n][m])
{
    // warplens: n = 8192, m = 8192
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            b[i][j] = 0.2f * a[i - 1][j - 1] + 0.5f * a[i - 1][j] - 0.8f * a[i - 1][j + 1]
                - 0.3f * a[i][j - 1] + 0.6f * a[i][j] - 0.9f * a[i][j + 1]
                + 0.4f * a[i + 1][j - 1] + 0.7f * a[i + 1][j] + 0.1f * a[i + 1][j + 1];
}
