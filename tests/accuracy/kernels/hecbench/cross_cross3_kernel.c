/* HeCBench cross-cuda, kernel cross3_kernel (BSD-3-Clause). */
void cross3_kernel(int numel, float *out, const float *x1, const float *x2)
{
    for (int i = 0; i < numel; i++) {
        float *out_row = out + 3 * i;
        const float *x1_row = x1 + 3 * i;
        const float *x2_row = x2 + 3 * i;

        const float x1_c0 = x1_row[0];
        const float x1_c1 = x1_row[1];
        const float x1_c2 = x1_row[2];
        const float x2_c0 = x2_row[0];
        const float x2_c1 = x2_row[1];
        const float x2_c2 = x2_row[2];

        const float val0 = x1_c1 * x2_c2 - x1_c2 * x2_c1;

        const float val1 = x1_c2 * x2_c0 - x1_c0 * x2_c2;

        const float val2 = x1_c0 * x2_c1 - x1_c1 * x2_c0;

        out_row[0] = val0;
        out_row[1] = val1;
        out_row[2] = val2;
    }
}
