/* Matrix times vector, a row a thread. */
void gemv(int n, int m, const float a[n][m], const float x[m], float y[n])
{
    // warplens: n = 8192, m = 8192
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int j = 0; j < m; j++)
            sum += a[i][j] * x[j];
        y[i] = sum;
    }
}
