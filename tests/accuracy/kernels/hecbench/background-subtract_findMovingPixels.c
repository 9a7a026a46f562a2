/* HeCBench background-subtract-cuda, kernel findMovingPixels (BSD-3-Clause). */
int abs(int);
void findMovingPixels(const unsigned long imgSize, const unsigned char *restrict Img, const unsigned char *restrict Img1,
                      const unsigned char *restrict Img2, const unsigned char *restrict Tn, unsigned char *restrict Mp)
{
    for (unsigned long i = 0; i < imgSize; i++) {
        if (abs(Img[i] - Img1[i]) > Tn[i] || abs(Img[i] - Img2[i]) > Tn[i])
            Mp[i] = 255;
        else {
            Mp[i] = 0;
        }
    }
}
