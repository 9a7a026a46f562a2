/* HeCBench hungarian-cuda, kernel step_1_row_sub (BSD-3-Clause). Arrays are parameters. */
#define nrows 1024
#define ncols 1024
#define row_mask 1023

void step_1_row_sub(int slack[nrows * ncols], int min_in_rows[nrows])
{
    for (int i = 0; i < nrows * ncols; i++) {
        int l = i & row_mask;
        slack[i] = slack[i] - min_in_rows[l];
    }
}
