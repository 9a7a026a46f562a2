/* The functions of cuBLAS that are compared, in plain C as its documentation has them: column-major matrices in memory
 * that the caller calls the device's. Status 7 is CUBLAS_STATUS_INVALID_VALUE. */
#include <stddef.h>

static int handle, math_mode = -1;

int cublasCreate_v2(void **created)
{
    *created = &handle;
    return 0;
}

int cublasSetMathMode(void *given, int mode)
{
    math_mode = mode;
    return given == &handle ? 0 : 1;
}

/* An element of op(A). */
static double element(int operation, const float *a, int leading, size_t row, size_t column)
{
    return operation == 0 ? a[column * (size_t)leading + row] : a[row * (size_t)leading + column];
}

int cublasSgemv_v2(void *given, int operation, int rows, int columns, const float *alpha, const float *a, int leading,
                   const float *x, int x_step, const float *beta, float *y, int y_step)
{
    if (given != &handle || math_mode != 0 || operation > 1 || leading < rows)
        return 7;
    int outputs = operation == 0 ? rows : columns, terms = operation == 0 ? columns : rows;
    for (int i = 0; i < outputs; i++) {
        double sum = 0;
        for (int j = 0; j < terms; j++)
            sum += element(operation, a, leading, (size_t)i, (size_t)j) * x[j * x_step];
        y[i * y_step] = (float)(*alpha * sum + (*beta == 0 ? 0 : *beta * y[i * y_step]));
    }
    return 0;
}

int cublasSgemm_v2(void *given, int a_operation, int b_operation, int m, int n, int k, const float *alpha,
                   const float *a, int a_leading, const float *b, int b_leading, const float *beta, float *c,
                   int c_leading)
{
    if (given != &handle || math_mode != 0 || a_operation > 1 || b_operation > 1 || c_leading < m)
        return 7;
    if (a_leading < (a_operation == 0 ? m : k) || b_leading < (b_operation == 0 ? k : n))
        return 7;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float *at = &c[(size_t)j * (size_t)c_leading + (size_t)i];
            double sum = 0;
            for (int l = 0; l < k; l++)
                sum += element(a_operation, a, a_leading, (size_t)i, (size_t)l) *
                       element(b_operation, b, b_leading, (size_t)l, (size_t)j);
            *at = (float)(*alpha * sum + (*beta == 0 ? 0 : *beta * *at));
        }
    return 0;
}
