/* Reads rows, writes columns. */
void transpose(int n, int m, const float a[n][m], float b[m][n])
{
    // warplens: n = 8192, m = 8192
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            b[j][i] = a[i][j];
}
