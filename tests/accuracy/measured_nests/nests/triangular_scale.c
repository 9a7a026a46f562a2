/* An update of a triangle without reuse. */
void triangular_scale(int n, float alpha, float a[n][n])
{
    // warplens: n = 8192
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            a[i][j] = alpha * a[i][j] + j;
}
