/* Softmax of each row: its largest element, a sum, and what is divided by it. */
float expf(float);

void row_softmax(int n, int m, const float x[n][m], float y[n][m])
{
    // warplens: n = 4096, m = 4096
    for (int i = 0; i < n; i++) {
        float largest = x[i][0], sum = 0;
        for (int j = 1; j < m; j++)
            if (x[i][j] > largest)
                largest = x[i][j];
        for (int j = 0; j < m; j++)
            sum += expf(x[i][j] - largest);
        for (int j = 0; j < m; j++)
            y[i][j] = expf(x[i][j] - largest) / sum;
    }
}
