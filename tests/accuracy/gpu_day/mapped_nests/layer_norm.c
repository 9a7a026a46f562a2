/* Layer normalisation: mean and variance of each row, then the row by them. */
float sqrtf(float);

void layer_norm(int n, int m, const float x[n][m], const float gain[m], const float shift[m], float y[n][m])
{
    // warplens: n = 8192, m = 1024
    for (int i = 0; i < n; i++) {
        float mean = 0, variance = 0;
        for (int j = 0; j < m; j++)
            mean += x[i][j];
        mean /= m;
        for (int j = 0; j < m; j++)
            variance += (x[i][j] - mean) * (x[i][j] - mean);
        float scale = 1 / sqrtf(variance / m + 1e-5f);
        for (int j = 0; j < m; j++)
            y[i][j] = (x[i][j] - mean) * scale * gain[j] + shift[j];
    }
}
