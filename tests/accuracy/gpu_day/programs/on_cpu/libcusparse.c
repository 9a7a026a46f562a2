/* The functions of cuSPARSE that are compared, in plain C as its documentation has them, for float and 32-bit indices.
 * Status 3 is CUSPARSE_STATUS_INVALID_VALUE. */
#include <stddef.h>
#include <stdint.h>

enum { BUFFER_BYTES = 24 };

static int handle;
static struct {
    int64_t rows, columns;
    const int *row_offsets, *column_indices;
    const float *values;
} matrix;
static struct {
    int64_t size;
    float *values;
} vectors[2];
static int described;

int cusparseCreate(void **created)
{
    *created = &handle;
    return 0;
}

int cusparseCreateCsr(void **created, int64_t rows, int64_t columns, int64_t elements, void *row_offsets,
                      void *column_indices, void *values, int offsets_type, int indices_type, int base, int values_type)
{
    const int *offsets = row_offsets;
    if (offsets_type != 2 || indices_type != 2 || base != 0 || values_type != 0 || offsets[rows] != elements)
        return 3;
    matrix.rows = rows, matrix.columns = columns;
    matrix.row_offsets = offsets, matrix.column_indices = column_indices, matrix.values = values;
    *created = &matrix;
    return 0;
}

int cusparseCreateDnVec(void **created, int64_t size, void *values, int values_type)
{
    if (values_type != 0 || described == 2)
        return 3;
    vectors[described].size = size, vectors[described].values = values;
    *created = &vectors[described++];
    return 0;
}

static int is_wrong(void *given, int operation, void *of, void *x, void *y, int type, int algorithm)
{
    return given != &handle || operation != 0 || of != &matrix || x != &vectors[0] || y != &vectors[1] || type != 0 ||
           algorithm != 0 || vectors[0].size != matrix.columns || vectors[1].size != matrix.rows;
}

int cusparseSpMV_bufferSize(void *given, int operation, const void *alpha, void *of, void *x, const void *beta, void *y,
                            int type, int algorithm, size_t *bytes)
{
    *bytes = BUFFER_BYTES;
    return alpha == NULL || beta == NULL || is_wrong(given, operation, of, x, y, type, algorithm) ? 3 : 0;
}

int cusparseSpMV(void *given, int operation, const void *alpha, void *of, void *x, const void *beta, void *y, int type,
                 int algorithm, void *buffer)
{
    if (buffer == NULL || is_wrong(given, operation, of, x, y, type, algorithm))
        return 3;
    for (int64_t row = 0; row < matrix.rows; row++) {
        double sum = 0;
        for (int k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; k++)
            sum += (double)matrix.values[k] * vectors[0].values[matrix.column_indices[k]];
        float *at = &vectors[1].values[row], factor = *(const float *)beta;
        *at = (float)(*(const float *)alpha * sum + (factor == 0 ? 0 : factor * *at));
    }
    return 0;
}

int cusparseSpMV_preprocess(void *given, int operation, const void *alpha, void *of, void *x, const void *beta, void *y,
                            int type, int algorithm, void *buffer)
{
    return alpha == NULL || beta == NULL || buffer == NULL || is_wrong(given, operation, of, x, y, type, algorithm) ? 3
                                                                                                                    : 0;
}
