/* HeCBench bsearch-cuda, kernel kernel_BS (BSD-3-Clause). */
void kernel_BS(const float *restrict acc_a, const float *restrict acc_z, unsigned long *restrict acc_r, const unsigned long n,
               const unsigned long zSize)
{
    for (unsigned long i = 0; i < zSize; i++) {
        float z = acc_z[i];
        unsigned long low = 0;
        unsigned long high = n;
        while (high - low > 1) {
            unsigned long mid = low + (high - low) / 2;
            if (z < acc_a[mid])
                high = mid;
            else
                low = mid;
        }
        acc_r[i] = low;
    }
}
