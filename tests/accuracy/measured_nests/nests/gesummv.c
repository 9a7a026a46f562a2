/* PolyBench: two matrices times one vector. */
void gesummv(int n, double alpha, double beta, const double a[n][n], const double b[n][n], const double x[n], double y[n])
{
    // warplens: n = 4096
    for (int i = 0; i < n; i++) {
        double s = 0, t = 0;
        for (int j = 0; j < n; j++) {
            s += a[i][j] * x[j];
            t += b[i][j] * x[j];
        }
        y[i] = alpha * s + beta * t;
    }
}
