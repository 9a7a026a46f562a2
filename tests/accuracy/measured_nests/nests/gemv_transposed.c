/* Transposed matrix times vector, a column a thread. */
void gemv_transposed(int n, int m, const float a[n][m], const float x[n], float y[m])
{
    // warplens: n = 8192, m = 8192
    for (int j = 0; j < m; j++) {
        float sum = 0;
        for (int i = 0; i < n; i++)
            sum += a[i][j] * x[i];
        y[j] = sum;
    }
}
