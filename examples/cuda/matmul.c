/* A matrix product: each tile of a and b is read once per block. */
// warplens: n = 2048, m = 2048, l = 2048

void matmul(int n, int m, int l, const float a[n][l], const float b[l][m], float c[n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float sum = 0;
            for (int k = 0; k < l; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}
