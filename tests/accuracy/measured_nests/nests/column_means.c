/* PolyBench's mean of covariance: threads read along rows. */
void column_means(int n, int m, const float data[n][m], float mean[m])
{
    // warplens: n = 4096, m = 8192
    for (int j = 0; j < m; j++) {
        float sum = 0;
        for (int i = 0; i < n; i++)
            sum += data[i][j];
        mean[j] = sum / n;
    }
}
