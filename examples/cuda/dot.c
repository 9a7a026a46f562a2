/* A dot product: every thread adds up its part, then warps, blocks and a second kernel do. */
// warplens: n = 16777216

double dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}
