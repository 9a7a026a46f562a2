/* A reduction over one loop. */
double dot(int n, const double *a, const double *b)
{
    // warplens: n = 16777216
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}
