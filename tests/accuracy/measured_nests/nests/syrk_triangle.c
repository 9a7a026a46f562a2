/* Symmetric rank-k update of the lower triangle. */
void syrk_triangle(int n, int l, double alpha, const double a[n][l], double c[n][n])
{
    // warplens: n = 2048, l = 512
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < l; k++)
                sum += a[i][k] * a[j][k];
            c[i][j] += alpha * sum;
        }
}
