/* HeCBench lanczos-cuda, kernel saxpy_inplace_kernel (BSD-3-Clause). */
void saxpy_inplace_kernel(const int N, double *y, const double *x, const double a)
{
    for (int index = 0; index < N; index++)
        y[index] += a * x[index];
}
