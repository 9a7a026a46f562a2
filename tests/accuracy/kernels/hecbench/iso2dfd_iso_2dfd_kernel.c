/* HeCBench iso2dfd-cuda, kernel iso_2dfd_kernel (BSD-3-Clause; MIT, Intel Corporation). */
#define HALF_LENGTH 1

void iso_2dfd_kernel(float *restrict next, const float *restrict prev, const float *restrict vel, const float dtDIVdxy,
                     const unsigned long nRows, const unsigned long nCols)
{
    for (unsigned long gidRow = 0; gidRow < nRows; gidRow++)
        for (unsigned long gidCol = 0; gidCol < nCols; gidCol++) {
            unsigned long gid = (gidRow)*nCols + gidCol;

            if ((gidCol >= HALF_LENGTH && gidCol < nCols - HALF_LENGTH) && (gidRow >= HALF_LENGTH && gidRow < nRows - HALF_LENGTH)) {
                float value = 0.f;
                value += prev[gid + 1] - 2.f * prev[gid] + prev[gid - 1];
                value += prev[gid + nCols] - 2.f * prev[gid] + prev[gid - nCols];
                value *= dtDIVdxy * vel[gid];
                next[gid] = 2.f * prev[gid] - next[gid] + value;
            }
        }
}
