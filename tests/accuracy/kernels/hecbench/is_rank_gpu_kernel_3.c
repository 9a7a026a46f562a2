/* HeCBench is, kernel rank_gpu_kernel_3 of class C (BSD-3-Clause). The update of the histogram is atomic. */
#define NUM_KEYS (1 << 27)

void rank_gpu_kernel_3(int *restrict key_buff_ptr, const int *restrict key_buff_ptr2)
{
    for (int i = 0; i < NUM_KEYS; i++)
        key_buff_ptr[key_buff_ptr2[i]] += 1;
}
