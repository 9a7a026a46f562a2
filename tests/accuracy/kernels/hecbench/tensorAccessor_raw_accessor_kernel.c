/* HeCBench tensorAccessor, kernel raw_accessor_kernel (BSD-3-Clause). */
void raw_accessor_kernel(const long nrow, const long ncol, float *restrict r, const float *restrict m, const float *restrict v)
{
    for (long i = 0; i < nrow; i++) {
        float val = 0.0f;
        for (long j = 0; j < ncol; j++) {
            val += m[i * ncol + j] * v[j];
        }
        r[i] = val;
    }
}
