// A CUDA call that fails ends the program: exit code 4 where there is no GPU, else 1 with file, line and the error.
#pragma once
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

enum ExitCode { DONE = 0, CUDA_FAILED = 1, WRONG_COMMAND_LINE = 2, NO_GPU = 4 };

// A driver that is too old for the runtime and no driver at all give the same error; without one its version is 0.
static bool says_no_gpu(cudaError_t error)
{
    int driver = 0;
    if (error == cudaErrorInsufficientDriver)
        return cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0;
    return error == cudaErrorNoDevice;
}

static void check(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    if (says_no_gpu(error)) {
        fprintf(stderr, "there is no GPU that CUDA can use here: %s\n",
                error == cudaErrorNoDevice ? cudaGetErrorString(error) : "no NVIDIA driver is installed");
        exit(NO_GPU);
    }
    fprintf(stderr, "%s:%d: %s: %s: %s\n", file, line, call, cudaGetErrorName(error), cudaGetErrorString(error));
    exit(CUDA_FAILED);
}

#define CHECK(call) check((call), #call, __FILE__, __LINE__)

// After a launch: was it accepted, and did everything before it run?
#define CHECK_KERNELS()                                                                                                \
    do {                                                                                                               \
        CHECK(cudaGetLastError());                                                                                     \
        CHECK(cudaDeviceSynchronize());                                                                                \
    } while (0)

// What can't be measured here, for a reason other than a CUDA call.
[[noreturn]] static void fail(const char *file, int line, const char *message)
{
    fprintf(stderr, "%s:%d: %s\n", file, line, message);
    exit(CUDA_FAILED);
}

#define FAIL(message) fail(__FILE__, __LINE__, message)
