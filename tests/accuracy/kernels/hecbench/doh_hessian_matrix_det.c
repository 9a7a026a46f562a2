/* HeCBench doh-cuda, kernel hessian_matrix_det (Apache-2.0, (c) 2020-2021 NVIDIA Corporation). max as fmaxf. */
#include <math.h>
static int clip(const int x, const int low, const int high)
{
    if (x > high)
        return high;
    else if (x < low)
        return low;
    else
        return x;
}

static float integ(const float *img, const int img_rows, const int img_cols, int r, int c, const int rl, const int cl)
{
    r = clip(r, 0, img_rows - 1);
    c = clip(c, 0, img_cols - 1);

    const int r2 = clip(r + rl, 0, img_rows - 1);
    const int c2 = clip(c + cl, 0, img_cols - 1);

    float ans = img[r * img_cols + c] + img[r2 * img_cols + c2] - img[r * img_cols + c2] - img[r2 * img_cols + c];

    return fmaxf((float)0, ans);
}

void hessian_matrix_det(const float *img, const int img_rows, const int img_cols, const float sigma, float *out)
{
    for (int tid = 0; tid < img_rows * img_cols; tid++) {
        const int r = tid / img_cols;
        const int c = tid % img_cols;

        int size = (int)((float)3.0 * sigma);

        const int b = (size - 1) / 2 + 1;
        const int l = size / 3;
        const int w = size;

        const float w_i = (float)1.0 / (size * size);

        const float tl = integ(img, img_rows, img_cols, r - l, c - l, l, l);
        const float br = integ(img, img_rows, img_cols, r + 1, c + 1, l, l);
        const float bl = integ(img, img_rows, img_cols, r - l, c + 1, l, l);
        const float tr = integ(img, img_rows, img_cols, r + 1, c - l, l, l);

        float dxy = bl + tr - tl - br;
        dxy = -dxy * w_i;

        float mid = integ(img, img_rows, img_cols, r - l + 1, c - l, 2 * l - 1, w);
        float side = integ(img, img_rows, img_cols, r - l + 1, c - l / 2, 2 * l - 1, l);

        float dxx = mid - (float)3 * side;
        dxx = -dxx * w_i;

        mid = integ(img, img_rows, img_cols, r - l, c - b + 1, w, 2 * b - 1);
        side = integ(img, img_rows, img_cols, r - b / 2, c - b + 1, b, 2 * b - 1);

        float dyy = mid - (float)3 * side;
        dyy = -dyy * w_i;

        out[tid] = (dxx * dyy - (float)0.81 * (dxy * dxy));
    }
}
