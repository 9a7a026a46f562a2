// The two functions of cuBLAS that are compared, declared as https://docs.nvidia.com/cuda/cublas describes them and as
// libcublas.so.12 and .so.13 have them (the names with _v2 are those that cublas_v2.h stands for).
#pragma once
#include "library.cuh"

class Cublas {
  public:
    Cublas() : library_("libcublas", {"libcublasLt"})
    {
        auto *create = library_.function<int(void **)>("cublasCreate_v2");
        auto *set_math_mode = library_.function<int(void *, int)>("cublasSetMathMode");
        sgemv_ = library_.function<Sgemv>("cublasSgemv_v2");
        sgemm_ = library_.function<Sgemm>("cublasSgemm_v2");
        if (!missing().empty())
            return;
        int status = create(&handle_);
        if (status != 0)
            library_.refuse("cublasCreate_v2 gives status " + std::to_string(status));
        else
            CHECK_STATUS(set_math_mode(handle_, DEFAULT_MATH));
    }

    const std::string &missing() const { return library_.missing(); }

    // y = A x of a row-major A of n rows and m columns: to cuBLAS, whose matrices are column-major, it is the
    // transpose.
    void multiply(int n, int m, const float *a, const float *x, float *y) const
    {
        const float one = 1, zero = 0;
        CHECK_STATUS(sgemv_(handle_, TRANSPOSED, m, n, &one, a, m, x, 1, &zero, y, 1));
    }

    // C = A B of row-major matrices of n x k and k x m: column-major, C' = B' A'.
    void multiply(int n, int m, int k, const float *a, const float *b, float *c) const
    {
        const float one = 1, zero = 0;
        CHECK_STATUS(sgemm_(handle_, AS_IS, AS_IS, m, n, k, &one, b, m, a, k, &zero, c, m));
    }

  private:
    // cublasOperation_t; cublasMath_t: the default mode keeps to FP32, TF32 would be CUBLAS_TF32_TENSOR_OP_MATH (3).
    enum { AS_IS = 0, TRANSPOSED = 1 };
    enum { DEFAULT_MATH = 0 };
    // Handle, operation, rows, columns, alpha, A and its leading dimension, x and its step, beta, y and its step.
    using Sgemv = int(void *, int, int, int, const float *, const float *, int, const float *, int, const float *,
                      float *, int);
    // Handle, operations, m, n, k, alpha, A and its leading dimension, B and its own, beta, C and its own.
    using Sgemm = int(void *, int, int, int, int, int, const float *, const float *, int, const float *, int,
                      const float *, float *, int);

    Library library_;
    void *handle_ = nullptr;
    Sgemv *sgemv_;
    Sgemm *sgemm_;
};
