/* Matrix product, rows of arrays. */
void gemm(int n, const float a[n][n], const float b[n][n], float c[n][n])
{
    // warplens: n = 2048
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}
