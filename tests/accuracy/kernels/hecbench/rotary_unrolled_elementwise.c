/* HeCBench rotary, kernel unrolled_elementwise_kernel_for_multi_outputs of four inputs and two outputs (BSD-3-Clause). A thread had
   four elements, a block apart. */
void unrolled_elementwise(int N, float *o1, float *o2, const float *x1, const float *x2, const float *cos, const float *sin)
{
    for (int i = 0; i < N; i++) {
        float out1 = x1[i] * cos[i] - x2[i] * sin[i];
        float out2 = x1[i] * sin[i] + x2[i] * cos[i];
        o1[i] = out1;
        o2[i] = out2;
    }
}
