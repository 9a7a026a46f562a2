/* A 7 x 7 filter over an image with a border of 3: neighbouring outputs read almost the same pixels. */
// warplens: height = 4096, width = 4096

void convolution(int height, int width, const float image[height + 6][width + 6], const float filter[7][7],
                 float out[height][width])
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            float sum = 0;
            for (int v = 0; v < 7; v++)
                for (int u = 0; u < 7; u++)
                    sum += filter[v][u] * image[y + v][x + u];
            out[y][x] = sum;
        }
}
