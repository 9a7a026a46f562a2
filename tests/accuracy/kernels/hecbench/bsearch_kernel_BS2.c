/* HeCBench bsearch-cuda, kernel kernel_BS2 (BSD-3-Clause). */
void kernel_BS2(const float *restrict acc_a, const float *restrict acc_z, unsigned long *restrict acc_r, const unsigned long n,
                const unsigned long zSize)
{
    for (unsigned long i = 0; i < zSize; i++) {
        unsigned nbits = 0;
        while (n >> nbits)
            nbits++;
        unsigned long k = 1ULL << (nbits - 1);
        float z = acc_z[i];
        unsigned long idx = (acc_a[k] <= z) ? k : 0;
        while (k >>= 1) {
            unsigned long r = idx | k;
            if (r < n && z >= acc_a[r]) {
                idx = r;
            }
        }
        acc_r[i] = idx;
    }
}
