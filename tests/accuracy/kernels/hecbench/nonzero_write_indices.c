/* HeCBench nonzero, kernel write_indices of long indices (BSD-3-Clause). The loop over the two dimensions is bounded by their number. */
#define MAX_DIMS 2

struct TensorDims {
    long sizes[MAX_DIMS];
};

void write_indices(long *inp, struct TensorDims dims, long nzero)
{
    for (unsigned int index = 0; index < nzero; index++) {
        long div = 1;
        long idx_flat = inp[index];
        for (int dim = MAX_DIMS - 1; dim >= 0; dim--) {
            long dim_size = dims.sizes[dim];
            inp[index + dim * nzero] = (idx_flat / div) % dim_size;
            div *= dim_size;
        }
    }
}
