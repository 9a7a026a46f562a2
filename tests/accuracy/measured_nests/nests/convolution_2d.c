/* A 5 x 5 filter in memory, over an image with a border of 2. */
void convolution_2d(int n, const float in[n + 4][n + 4], const float f[5][5], float out[n][n])
{
    // warplens: n = 4096
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            float sum = 0;
            for (int i = 0; i < 5; i++)
                for (int j = 0; j < 5; j++)
                    sum += in[y + i][x + j] * f[i][j];
            out[y][x] = sum;
        }
}
