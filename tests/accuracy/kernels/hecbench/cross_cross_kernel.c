/* HeCBench cross-cuda, kernel cross_kernel (BSD-3-Clause). */
void cross_kernel(int numel, float *out, const float *x1, const float *x2, int ostride, int x1stride, int x2stride)
{
    // warplens: ostride >= 0, ostride <= 2
    for (int i = 0; i < numel; i++) {
        float *out_row = out + 3 * i;
        const float *x1_row = x1 + 3 * i;
        const float *x2_row = x2 + 3 * i;

        const float val0 = (x1_row[1 * x1stride] * x2_row[2 * x2stride] - x1_row[2 * x1stride] * x2_row[1 * x2stride]);

        const float val1 = (x1_row[2 * x1stride] * x2_row[0 * x2stride] - x1_row[0 * x1stride] * x2_row[2 * x2stride]);

        const float val2 = (x1_row[0 * x1stride] * x2_row[1 * x2stride] - x1_row[1 * x1stride] * x2_row[0 * x2stride]);

        out_row[0 * ostride] = val0;
        out_row[1 * ostride] = val1;
        out_row[2 * ostride] = val2;
    }
}
