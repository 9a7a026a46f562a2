/* A filter of length m. */
void convolution_1d(int n, int m, const float x[n + m], const float f[m], float y[n])
{
    // warplens: n = 8388608, m = 33
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int j = 0; j < m; j++)
            sum += x[i + j] * f[j];
        y[i] = sum;
    }
}
