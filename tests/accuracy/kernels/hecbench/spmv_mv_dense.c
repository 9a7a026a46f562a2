/* HeCBench spmv-cuda, kernel mv_dense (BSD-3-Clause). */
void mv_dense(const unsigned long num_rows, const float *matrix, const float *x, float *y)
{
    for (unsigned long i = 0; i < num_rows; i++) {
        float temp = 0;
        for (unsigned long j = 0; j < num_rows; j++) {
            if (matrix[i * num_rows + j] != (float)0)
                temp += matrix[i * num_rows + j] * x[j];
        }
        y[i] = temp;
    }
}
