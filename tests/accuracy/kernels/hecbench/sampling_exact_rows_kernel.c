/* HeCBench sampling-cuda, kernel exact_rows_kernel (Apache-2.0, (c) 2020-2021 NVIDIA Corporation). A block's number is row_X. */
void exact_rows_kernel(float *restrict X, const int nrows_X, const int ncols, const float *restrict background,
                       const int nrows_background, float *restrict dataset, const float *restrict observation)
{
    for (int row_X = 0; row_X < nrows_X; row_X++)
        for (int col = 0; col < ncols; col++) {
            int row = row_X * ncols;
            int curr_X = (int)X[row + col];

            for (int row_idx = row_X * nrows_background; row_idx < row_X * nrows_background + nrows_background; row_idx += 1) {
                if (curr_X == 0) {
                    dataset[row_idx * ncols + col] = background[(row_idx % nrows_background) * ncols + col];
                } else {
                    dataset[row_idx * ncols + col] = observation[col];
                }
            }
        }
}
