/* PolyBench's gemm: each row of the result is scaled before the product is added to it. */
void beta_product(int n, int m, int l, float alpha, float beta, const float a[n][l], const float b[l][m], float c[n][m])
{
    // warplens: n = 1024, m = 1024, l = 1024
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++)
            c[i][j] *= beta;
        for (int k = 0; k < l; k++)
            for (int j = 0; j < m; j++)
                c[i][j] += alpha * a[i][k] * b[k][j];
    }
}
