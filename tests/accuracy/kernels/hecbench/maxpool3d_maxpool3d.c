/* HeCBench maxpool3d-cuda, kernel maxpool3d (BSD-3-Clause). */
#include <math.h>

void maxpool3d(const float *i_img, float *o_img, const int Hstride, const int Vstride, const int pool_width, const int pool_height,
               const int i_img_count, const int i_img_width, const int i_img_height, const int o_img_width, const int o_img_height)
{
    for (int z = 0; z < i_img_count; z++)
        for (int y = 0; y < o_img_height; y++)
            for (int x = 0; x < o_img_width; x++) {
                const int xidx = Hstride * x;
                const int yidx = Vstride * y;
                float maxval = (float)0;

                for (int r = 0; r < pool_height; r++) {
                    const int idxIntmp = ((z * i_img_height + yidx + r) * i_img_width) + xidx;
                    for (int c = 0; c < pool_width; c++) {
                        const int idxIn = idxIntmp + c;
                        maxval = fmaxf(maxval, i_img[idxIn]);
                    }
                }
                o_img[(((z * o_img_height) + y) * o_img_width) + x] = maxval;
            }
}
