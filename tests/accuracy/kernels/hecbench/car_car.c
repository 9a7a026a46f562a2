/* HeCBench car-cuda, kernel car (BSD-3-Clause). The macros of 4D arrays are written out. */
#include <math.h>

typedef struct {
    int output_dim_b;
    int output_dim_c;
    int output_dim_h;
    int output_dim_w;
    int kernel_size;
    int image_w;
    int image_h;
} params;

static int min(int a, int b)
{
    return a < b ? a : b;
}

static int max(int a, int b)
{
    return a > b ? a : b;
}

void car(const float *restrict img, const float *restrict kernels, const float *restrict offsets_h, const float *restrict offsets_v,
         float *restrict output, const params p, const int offset_unit, const int padding, const unsigned long n)
{
    // warplens: output has no shared elements
    for (unsigned long global_idx = 0; global_idx < n; global_idx++) {
        const int dim_b = p.output_dim_b;
        const int dim_c = p.output_dim_c;
        const int dim_h = p.output_dim_h;
        const int dim_w = p.output_dim_w;
        const int kernels_size = p.kernel_size;
        const int img_w = p.image_w;
        const int img_h = p.image_h;

        const unsigned long vol_size = (unsigned long)dim_c * dim_h * dim_w;
        const unsigned long img_size = (unsigned long)dim_h * dim_w;

        const int idb = (global_idx / vol_size) % dim_b;
        const int idc = (global_idx / img_size) % dim_c;
        const int idy = (global_idx / dim_w) % dim_h;
        const int idx = global_idx % dim_w;

        const int k_size = (int)sqrtf((float)kernels_size);
        const int w = img_w - 2 * padding;
        const int h = img_h - 2 * padding;

        float result = 0;
        for (int k_y = 0; k_y < k_size; ++k_y) {
            for (int k_x = 0; k_x < k_size; ++k_x) {
                const float offset_h =
                    offsets_h[(idb)*k_size * k_size * dim_w * dim_h + (k_size * k_y + k_x) * (dim_w * dim_h) + (idy)*dim_w + (idx)]
                    * offset_unit;
                const float offset_v =
                    offsets_v[(idb)*k_size * k_size * dim_w * dim_h + (k_size * k_y + k_x) * (dim_w * dim_h) + (idy)*dim_w + (idx)]
                    * offset_unit;

                const float p_x = (float)(idx + 0.5f) / dim_w * w + k_x + offset_h - 0.5f;
                const float p_y = (float)(idy + 0.5f) / dim_h * h + k_y + offset_v - 0.5f;
                const float alpha = p_x - floorf(p_x);
                const float beta = p_y - floorf(p_y);

                const int xL = max(min((int)(floorf(p_x)), w + 2 * padding - 1), 0);
                const int xR = max(min(xL + 1, w + 2 * padding - 1), 0);
                const int yT = max(min((int)(floorf(p_y)), h + 2 * padding - 1), 0);
                const int yB = max(min(yT + 1, h + 2 * padding - 1), 0);

                float val = (1.f - alpha) * (1.f - beta) * img[(idb)*dim_c * img_w * img_h + (idc)*img_w * img_h + (yT)*img_w + (xL)];
                val += alpha * (1.f - beta) * img[(idb)*dim_c * img_w * img_h + (idc)*img_w * img_h + (yT)*img_w + (xR)];
                val += (1.f - alpha) * beta * img[(idb)*dim_c * img_w * img_h + (idc)*img_w * img_h + (yB)*img_w + (xL)];
                val += alpha * beta * img[(idb)*dim_c * img_w * img_h + (idc)*img_w * img_h + (yB)*img_w + (xR)];
                result += val
                          * kernels[(idb)*k_size * k_size * dim_w * dim_h + (k_size * k_y + k_x) * (dim_w * dim_h) + (idy)*dim_w + (idx)];
            }
        }
        output[(idb)*dim_c * dim_w * dim_h + (idc)*dim_w * dim_h + (idy)*dim_w + (idx)] = result;
    }
}
