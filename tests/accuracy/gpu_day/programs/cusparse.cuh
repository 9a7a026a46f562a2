// The product of a sparse matrix and a vector by cuSPARSE's generic API, declared as
// https://docs.nvidia.com/cuda/cusparse describes it and as libcusparse.so.12, that of CUDA 12 and 13, has it.
#pragma once
#include <cstdint>

#include "library.cuh"

class Cusparse {
  public:
    Cusparse() : library_("libcusparse", {"libnvJitLink"})
    {
        auto *create = library_.function<int(void **)>("cusparseCreate");
        create_csr_ = library_.function<CreateCsr>("cusparseCreateCsr");
        create_vector_ = library_.function<CreateVector>("cusparseCreateDnVec");
        buffer_size_ = library_.function<BufferSize>("cusparseSpMV_bufferSize");
        preprocess_ = library_.function<Multiply>("cusparseSpMV_preprocess");
        multiply_ = library_.function<Multiply>("cusparseSpMV");
        if (!missing().empty())
            return;
        int status = create(&handle_);
        if (status != 0)
            library_.refuse("cusparseCreate gives status " + std::to_string(status));
    }

    const std::string &missing() const { return library_.missing(); }

    // What the product is of. Row offsets and columns are 32-bit and count from 0.
    void describe(int n, int m, int elements, int *row_offsets, int *columns, float *values, float *x, float *y)
    {
        CHECK_STATUS(create_csr_(&matrix_, n, m, elements, row_offsets, columns, values, INDEX_32I, INDEX_32I,
                                 BASE_ZERO, REAL_32F));
        CHECK_STATUS(create_vector_(&x_, m, x, REAL_32F));
        CHECK_STATUS(create_vector_(&y_, n, y, REAL_32F));
    }

    size_t buffer_bytes() const
    {
        size_t bytes = 0;
        CHECK_STATUS(buffer_size_(handle_, AS_IS, &one, matrix_, x_, &zero, y_, REAL_32F, ALGORITHM_DEFAULT, &bytes));
        return bytes;
    }

    // Looks at the matrix once, so that later products take less time.
    void preprocess(void *buffer) const
    {
        CHECK_STATUS(preprocess_(handle_, AS_IS, &one, matrix_, x_, &zero, y_, REAL_32F, ALGORITHM_DEFAULT, buffer));
    }

    void multiply(void *buffer) const
    {
        CHECK_STATUS(multiply_(handle_, AS_IS, &one, matrix_, x_, &zero, y_, REAL_32F, ALGORITHM_DEFAULT, buffer));
    }

  private:
    // cusparseOperation_t, cusparseIndexType_t, cusparseIndexBase_t, cusparseSpMVAlg_t, cudaDataType.
    enum { AS_IS = 0 };
    enum { INDEX_32I = 2 };
    enum { BASE_ZERO = 0 };
    enum { ALGORITHM_DEFAULT = 0 };
    enum { REAL_32F = 0 };
    static constexpr float one = 1, zero = 0;

    // Descriptor, rows, columns, elements, row offsets, columns, values, the indices' two types, their base, values'
    // type.
    using CreateCsr = int(void **, int64_t, int64_t, int64_t, void *, void *, void *, int, int, int, int);
    using CreateVector = int(void **, int64_t, void *, int);
    // Handle, operation, alpha, A, x, beta, y, the type to compute in, algorithm, then the buffer or its bytes.
    using BufferSize = int(void *, int, const void *, void *, void *, const void *, void *, int, int, size_t *);
    using Multiply = int(void *, int, const void *, void *, void *, const void *, void *, int, int, void *);

    Library library_;
    void *handle_ = nullptr, *matrix_ = nullptr, *x_ = nullptr, *y_ = nullptr;
    CreateCsr *create_csr_;
    CreateVector *create_vector_;
    BufferSize *buffer_size_;
    Multiply *preprocess_, *multiply_;
};
