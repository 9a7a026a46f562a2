/* Rows by rows: a times the transpose of b. */
void gemm_nt(int n, int l, const float a[n][l], const float b[n][l], float c[n][n])
{
    // warplens: n = 2048, l = 1024
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int k = 0; k < l; k++)
                sum += a[i][k] * b[j][k];
            c[i][j] = sum;
        }
}
