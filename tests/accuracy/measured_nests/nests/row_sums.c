/* One thread for a row: its neighbours read a row apart. */
void row_sums(int n, int m, const float a[n][m], float s[n])
{
    // warplens: n = 8192, m = 4096
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int j = 0; j < m; j++)
            sum += a[i][j];
        s[i] = sum;
    }
}
