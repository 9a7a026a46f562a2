// The part of CUDA that generated ports use, on the CPU: one GPU whose memory no host code may touch and whose threads
// run as block.h says. C++17 with g++: what is compiled with -fsanitize=thread, undefined, bounds tells of its accesses,
// what is linked with -fsanitize=address knows which memory there is.
//
// `kernel<<<grid, block>>>(a, b)` is no C++: what compiles this writes it `cuda_on_cpu::launcher(kernel)(grid, block)(a, b)`.
#pragma once

// Every file with ports includes this: it has no header of the C++ library that takes long to compile.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "exchange.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __constant__ static
// One block runs at a time; the section lets it be filled with garbage before.
#define __shared__ static __attribute__((section("cuda_shared")))

struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
inline uint3 threadIdx, blockIdx;
inline dim3 blockDim, gridDim;
constexpr int warpSize = 32;

enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidMemcpyDirection = 21,
    cudaErrorUnknown = 999,
};
using cudaError = cudaError_t;
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
using cudaStream_t = struct Stream *;
using cudaEvent_t = struct Event *;

// Of functions that touch nothing but their own variables, which no report needs to tell of: most reports were of those.
#define UNREPORTED __attribute__((no_sanitize("thread")))

namespace cuda_on_cpu {

// Whether a kernel runs, not the host.
inline bool in_kernel = false;

// What control.cc does, which is compiled without the reports of accesses.
void launch(dim3 grid, dim3 shape, void (*body)(const void *), const void *arguments);
[[noreturn]] void wrong(const char *what, int line);
void report(void *at, std::size_t bytes, bool is_write, bool is_atomic, const void *code);
Exchange exchange(const Exchange &asked);
void barrier(int line);
cudaError_t allocate(void **at, std::size_t bytes);

template <typename... Parameters> struct Configured {
    void (*kernel)(Parameters...);
    dim3 grid, shape;

    // Arguments become what the kernel's parameters are, as a launch copies them.
    UNREPORTED void operator()(Parameters... arguments) const
    {
        auto thread = [&]() UNREPORTED { kernel(arguments...); };
        launch(grid, shape, [](const void *at) UNREPORTED { (*static_cast<const decltype(thread) *>(at))(); }, &thread);
    }
};

template <typename... Parameters> struct Launcher {
    void (*kernel)(Parameters...);

    Configured<Parameters...> operator()(dim3 grid, dim3 shape, std::size_t = 0, cudaStream_t = nullptr) const
    {
        return {kernel, grid, shape};
    }
};

template <typename... Parameters> Launcher<Parameters...> launcher(void (*kernel)(Parameters...)) { return {kernel}; }

template <typename T> UNREPORTED std::uint64_t bits_of(T value)
{
    // CUDA's shuffles take a bool, a char and a short as an int.
    constexpr bool is_promoted = std::is_integral<T>::value && sizeof value < 4;
    static_assert(sizeof value == 4 || sizeof value == 8 || is_promoted, "what can be shuffled");
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}

template <typename T> UNREPORTED T of_bits(std::uint64_t bits)
{
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

UNREPORTED inline int lane() { return int((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % warpSize); }

template <typename T> UNREPORTED T shuffle(unsigned mask, T value, int source, int line)
{
    Exchange asked;
    asked.line = line;
    asked.mask = mask;
    asked.value = bits_of(value);
    asked.source = source;
    return of_bits<T>(exchange(asked).result);
}

UNREPORTED inline unsigned vote(unsigned mask, bool value, int line, int operation = 1)
{
    Exchange asked;
    asked.line = line;
    asked.mask = mask;
    asked.operation = operation;
    asked.value = value;
    return unsigned(exchange(asked).result);
}

// No thread runs at the same time as another, so that plain arithmetic is atomic.
template <typename T, typename Update> UNREPORTED T atomically(T *at, Update update)
{
    report(at, sizeof *at, true, true, __builtin_return_address(0));
    T old = *at;
    *at = update(old);
    return old;
}

} // namespace cuda_on_cpu

inline void __syncthreads(int line = __builtin_LINE()) { cuda_on_cpu::barrier(line); }
inline void __syncwarp(unsigned mask = 0xffffffffu, int line = __builtin_LINE()) { cuda_on_cpu::vote(mask, true, line, 2); }
inline void __threadfence() {}
inline void __threadfence_block() {}

// Of a segment of `width` lanes; a lane that asks beyond it gets its own value back.
template <typename T> T __shfl_sync(unsigned mask, T value, int from, int width = 32, int line = __builtin_LINE())
{
    int lane = cuda_on_cpu::lane();
    return cuda_on_cpu::shuffle(mask, value, lane / width * width + (from & (width - 1)), line);
}
template <typename T> T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32, int line = __builtin_LINE())
{
    int lane = cuda_on_cpu::lane(), from = lane + int(by);
    return cuda_on_cpu::shuffle(mask, value, lane % width + int(by) < width ? from : lane, line);
}
template <typename T> T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32, int line = __builtin_LINE())
{
    int lane = cuda_on_cpu::lane();
    return cuda_on_cpu::shuffle(mask, value, lane % width - int(by) >= 0 ? lane - int(by) : lane, line);
}
template <typename T> T __shfl_xor_sync(unsigned mask, T value, int by, int width = 32, int line = __builtin_LINE())
{
    int lane = cuda_on_cpu::lane(), from = lane ^ by;
    return cuda_on_cpu::shuffle(mask, value, from / width <= lane / width ? from : lane, line);
}
inline unsigned __ballot_sync(unsigned mask, int value, int line = __builtin_LINE())
{
    return cuda_on_cpu::vote(mask, value != 0, line);
}
inline int __any_sync(unsigned mask, int value, int line = __builtin_LINE())
{
    return cuda_on_cpu::vote(mask, value != 0, line) != 0;
}
inline int __all_sync(unsigned mask, int value, int line = __builtin_LINE())
{
    return cuda_on_cpu::vote(mask, value == 0, line) == 0;
}

// The second argument's type is the first one's, as CUDA's overloads have it.
template <typename T> using Same = typename std::common_type<T>::type;
template <typename T> T atomicAdd(T *at, Same<T> by) { return cuda_on_cpu::atomically(at, [&](T old) { return T(old + by); }); }
template <typename T> T atomicSub(T *at, Same<T> by) { return cuda_on_cpu::atomically(at, [&](T old) { return T(old - by); }); }
template <typename T> T atomicExch(T *at, Same<T> to) { return cuda_on_cpu::atomically(at, [&](T) { return to; }); }
template <typename T> T atomicMin(T *at, Same<T> by)
{
    static_assert(std::is_integral_v<T>, "CUDA has none of floats");
    return cuda_on_cpu::atomically(at, [&](T old) { return by < old ? by : old; });
}
template <typename T> T atomicMax(T *at, Same<T> by)
{
    static_assert(std::is_integral_v<T>, "CUDA has none of floats");
    return cuda_on_cpu::atomically(at, [&](T old) { return old < by ? by : old; });
}
template <typename T> T atomicAnd(T *at, Same<T> by) { return cuda_on_cpu::atomically(at, [&](T old) { return T(old & by); }); }
template <typename T> T atomicOr(T *at, Same<T> by) { return cuda_on_cpu::atomically(at, [&](T old) { return T(old | by); }); }
template <typename T> T atomicXor(T *at, Same<T> by) { return cuda_on_cpu::atomically(at, [&](T old) { return T(old ^ by); }); }
template <typename T> T atomicCAS(T *at, Same<T> expected, Same<T> to)
{
    static_assert(std::is_integral_v<T>, "CUDA has none of floats");
    return cuda_on_cpu::atomically(at, [&](T old) { return old == expected ? to : old; });
}

template <typename T> T __ldg(const T *at) { return *at; }
template <typename T> const T &min(const T &a, const T &b) { return b < a ? b : a; }
template <typename T> const T &max(const T &a, const T &b) { return a < b ? b : a; }
inline int __float_as_int(float value) { return cuda_on_cpu::of_bits<int>(cuda_on_cpu::bits_of(value)); }
inline float __int_as_float(int bits) { return cuda_on_cpu::of_bits<float>(cuda_on_cpu::bits_of(bits)); }
inline unsigned __float_as_uint(float value) { return cuda_on_cpu::of_bits<unsigned>(cuda_on_cpu::bits_of(value)); }
inline float __uint_as_float(unsigned bits) { return cuda_on_cpu::of_bits<float>(cuda_on_cpu::bits_of(bits)); }
inline long long __double_as_longlong(double value) { return cuda_on_cpu::of_bits<long long>(cuda_on_cpu::bits_of(value)); }
inline double __longlong_as_double(long long bits) { return cuda_on_cpu::of_bits<double>(cuda_on_cpu::bits_of(bits)); }

const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaPeekAtLastError();
cudaError_t cudaGetLastError();
template <typename T> cudaError_t cudaMalloc(T **at, std::size_t bytes)
{
    return cuda_on_cpu::allocate(reinterpret_cast<void **>(at), bytes);
}
cudaError_t cudaFree(void *at);
cudaError_t cudaMemcpy(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemset(void *to, int value, std::size_t bytes);
cudaError_t cudaDeviceSynchronize();
inline cudaError_t cudaEventCreate(cudaEvent_t *event) { return *event = nullptr, cudaSuccess; }
inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = nullptr) { return cudaSuccess; }
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t, cudaEvent_t) { return *milliseconds = 1, cudaSuccess; }
