/* HeCBench entropy, kernel entropy (BSD-3-Clause). __fdividef is /. */
#include <math.h>

void entropy(float *restrict d_entropy, const char *restrict d_val, int height, int width)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            char count[16];
            for (int i = 0; i < 16; i++) count[i] = 0;

            char total = 0;

            for (int dy = -2; dy <= 2; dy++) {
                for (int dx = -2; dx <= 2; dx++) {
                    int xx = x + dx;
                    int yy = y + dy;
                    if (xx >= 0 && yy >= 0 && yy < height && xx < width) {
                        count[d_val[yy * width + xx]]++;
                        total++;
                    }
                }
            }

            float entropy = 0;
            if (total < 1) {
                total = 1;
            } else {
                for (int k = 0; k < 16; k++) {
                    float p = (float)count[k] / (float)total;
                    entropy -= p * log2f(p);
                }
            }

            d_entropy[y * width + x] = entropy;
        }
}
