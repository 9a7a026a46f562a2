/* Upper triangle of a covariance, columns by columns. */
void covariance(int n, int m, const float data[n][m], float cov[m][m])
{
    // warplens: n = 1024, m = 1024
    for (int i = 0; i < m; i++)
        for (int j = i; j < m; j++) {
            float sum = 0;
            for (int k = 0; k < n; k++)
                sum += data[k][i] * data[k][j];
            cov[i][j] = sum / (n - 1);
        }
}
