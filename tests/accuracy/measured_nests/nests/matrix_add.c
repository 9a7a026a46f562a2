/* Two dimensions, no reuse. */
void matrix_add(int n, int m, const float a[n][m], const float b[n][m], float c[n][m])
{
    // warplens: n = 8192, m = 8192
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            c[i][j] = a[i][j] + b[i][j];
}
