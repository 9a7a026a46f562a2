/* HeCBench concat, kernel concat of float (BSD-3-Clause). The guard against more threads than elements is the loop's bound. */
static int flat_3dim(int id1, int id2, int id3, int dim2, int dim3)
{
    return id1 * dim2 * dim3 + id2 * dim3 + id3;
}

void concat(const float *restrict inp1, const float *restrict inp2, float *output, int sz0, int sz2, int sz1_1, int sz1_2)
{
    for (int i = 0; i < sz0 * sz2 * (sz1_1 + sz1_2); i++) {
        int idx = i;
        int idx2 = idx % sz2;
        idx = idx / sz2;
        int idx1 = idx % (sz1_1 + sz1_2);
        int idx0 = idx / (sz1_1 + sz1_2);
        const float *src_ptr;
        int sz1;
        if (idx1 < sz1_1) {
            sz1 = sz1_1;
            src_ptr = inp1;
        } else {
            idx1 -= sz1_1;
            sz1 = sz1_2;
            src_ptr = inp2;
        }
        src_ptr += flat_3dim(idx0, idx1, idx2, sz1, sz2);
        output[i] = *src_ptr;
    }
}
