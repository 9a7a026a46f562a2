/* Rows of a matrix, each times its number, added up: every row adds to the same elements. */
void row_updates(int n, int m, const float a[n][m], const float x[n], float y[m])
{
    // warplens: n = 4096, m = 4096
    for (int i = 0; i < n; i++) {
        float s = x[i];
        for (int j = 0; j < m; j++)
            y[j] += a[i][j] * s;
    }
}
