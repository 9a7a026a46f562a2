/* 15 x 15 filter over an image with a border of 7. */
void convolution(int n, const float *restrict in, const float *restrict f, float *restrict out) {
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            float s = 0;
            for (int i = 0; i < 15; i++)
                for (int j = 0; j < 15; j++)
                    s += in[(y + i) * (n + 14) + x + j] * f[i * 15 + j];
            out[y * n + x] = s;
        }
}
