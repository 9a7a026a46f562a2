/* HeCBench background-subtract-cuda, kernel updateThreshold (BSD-3-Clause). */
#include <math.h>
void updateThreshold(const unsigned long imgSize, const unsigned char *restrict Img, const unsigned char *restrict Mp,
                     const unsigned char *restrict Bn, unsigned char *restrict Tn)
{
    for (unsigned long i = 0; i < imgSize; i++) {
        if (Mp[i] == 0) {
            float th = 0.92f * Tn[i] + 0.24f * (Img[i] - Bn[i]);
            Tn[i] = fmaxf(th, 20.f);
        }
    }
}
