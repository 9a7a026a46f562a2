/* A reduction over two loops. */
double frobenius(int n, int m, const double a[n][m])
{
    // warplens: n = 4096, m = 4096
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            sum += a[i][j] * a[i][j];
    return sum;
}
