/* HeCBench background-subtract-cuda, kernel updateBackground (BSD-3-Clause). */
void updateBackground(const unsigned long imgSize, const unsigned char *restrict Img, const unsigned char *restrict Mp,
                      unsigned char *restrict Bn)
{
    for (unsigned long i = 0; i < imgSize; i++) {
        if (Mp[i] == 0)
            Bn[i] = 0.92f * Bn[i] + 0.08f * Img[i];
    }
}
