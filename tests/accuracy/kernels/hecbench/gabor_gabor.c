/* HeCBench gabor-cuda, kernel gabor (BSD-3-Clause). x and y are unsigned: the source compares them so. */
#include <math.h>
void gabor(double *gabor_spatial, const unsigned int height, const unsigned int width, const double center_y,
           const double center_x, const double ctheta, const double stheta, const double scale, const double sx_2,
           const double sy_2, const double fx)
{
    for (unsigned int y = 0; y < height; y++)
        for (unsigned int x = 0; x < width; x++) {
            double centered_x, centered_y, u, v;
            centered_y = (double)y - center_y;
            centered_x = (double)x - center_x;
            u = ctheta * centered_x - stheta * centered_y;
            v = ctheta * centered_y + stheta * centered_x;
            gabor_spatial[y * width + x] =
                scale * exp(-0.5 * (u * u / sx_2 + v * v / sy_2)) * cos(2.0 * M_PI * fx * u);
        }
}
