// The part of CUDA that generated ports use, on the CPU: one GPU whose memory no host code may touch and whose threads
// run as block.h says. C++17 with g++: what is compiled with -fsanitize=thread, undefined, bounds tells of its accesses,
// what is linked with -fsanitize=address knows which memory there is.
//
// `kernel<<<grid, block>>>(a, b)` is no C++: what compiles this writes it `cuda_on_cpu::launcher(kernel)(grid, block)(a, b)`.
#pragma once

#include <algorithm>
#include <cmath>
#include <tuple>
#include <type_traits>

#include "accesses.h"

#include <sanitizer/asan_interface.h>

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

// The linker's names for the section; null where nothing is shared.
extern "C" unsigned char __start_cuda_shared[] __attribute__((weak)), __stop_cuda_shared[] __attribute__((weak));

namespace cuda_on_cpu {

constexpr unsigned MOST_THREADS = 1024;
constexpr dim3 LARGEST_BLOCK(1024, 1024, 64), LARGEST_GRID(2147483647, 65535, 65535);

struct Ranges : std::map<char *, std::size_t> {
    void forbid() const
    {
        for (const auto &[start, bytes] : *this)
            __asan_poison_memory_region(start, bytes);
    }
    void allow() const
    {
        for (const auto &[start, bytes] : *this)
            __asan_unpoison_memory_region(start, bytes);
    }
    bool has(const void *start, std::size_t bytes) const
    {
        char *at = static_cast<char *>(const_cast<void *>(start));
        auto after = upper_bound(at);
        if (after == begin())
            return false;
        const auto &[first, size] = *std::prev(after);
        return at >= first && at + bytes <= first + size;
    }
};
inline Ranges on_device, on_host;
inline cudaError_t last_error = cudaSuccess;
inline int calls = 0, failing_call = -1;

// Whether this call is the one that is to fail; calls are numbered from 0.
inline bool fails()
{
    bool is_failing = calls++ == failing_call;
    if (is_failing)
        last_error = cudaErrorUnknown;
    return is_failing;
}

// Memory of the host that no kernel may touch.
inline void declare_host(void *start, std::size_t bytes)
{
    on_host[static_cast<char *>(start)] = bytes;
}

inline void fill_shared()
{
    if (__start_cuda_shared)
        std::memset(__start_cuda_shared, order.garbage(), std::size_t(__stop_cuda_shared - __start_cuda_shared));
}

// An access by what was compiled with the ports. Memory of the device is poisoned while the host runs, and the host's
// arrays are while a kernel does.
inline void report(void *at, std::size_t bytes, bool is_write, bool is_atomic = false,
                   const void *code = __builtin_return_address(0))
{
    static bool is_reporting;
    if (is_reporting)
        return;
    is_reporting = true;
    if (__asan_region_is_poisoned(at, bytes))
        wrong(!accesses.is_on        ? "the host uses memory of the device, or what is not allocated"
              : on_host.has(at, 1) ? "a kernel uses memory of the host"
                                   : "a kernel goes beyond an allocation",
              code);
    if (accesses.is_on)
        accesses.access(at, bytes, is_write, is_atomic, code);
    is_reporting = false;
}

inline uint3 place(std::size_t number, dim3 extent)
{
    return {unsigned(number % extent.x), unsigned(number / extent.x % extent.y), unsigned(number / extent.x / extent.y)};
}

inline bool is_launchable(dim3 grid, dim3 shape)
{
    bool is_empty = !grid.x || !grid.y || !grid.z || !shape.x || !shape.y || !shape.z;
    bool is_large = shape.x > LARGEST_BLOCK.x || shape.y > LARGEST_BLOCK.y || shape.z > LARGEST_BLOCK.z ||
                    grid.x > LARGEST_GRID.x || grid.y > LARGEST_GRID.y || grid.z > LARGEST_GRID.z;
    return !is_empty && !is_large && std::size_t(shape.x) * shape.y * shape.z <= MOST_THREADS;
}

inline void launch(dim3 grid, dim3 shape, const std::function<void()> &body)
{
    if (fails())
        return;
    if (!is_launchable(grid, shape)) {
        last_error = cudaErrorInvalidConfiguration;
        return;
    }
    on_device.allow();
    on_host.forbid();
    gridDim = grid;
    blockDim = shape;
    std::vector<std::size_t> blocks;
    order.arrange(blocks, std::size_t(grid.x) * grid.y * grid.z);
    accesses.watch(__start_cuda_shared, std::size_t(__stop_cuda_shared - __start_cuda_shared));
    accesses.begin_launch();
    for (std::size_t number : blocks) {
        fill_shared();
        accesses.begin_block(std::uint32_t(number), __start_cuda_shared);
        blockIdx = place(number, grid);
        block.run(std::size_t(shape.x) * shape.y * shape.z, [&](std::size_t t) { threadIdx = place(t, shape); }, body);
    }
    accesses.is_on = false;
    on_host.allow();
    on_device.forbid();
}

template <typename... Parameters> struct Configured {
    void (*kernel)(Parameters...);
    dim3 grid, shape;

    // Arguments become what the kernel's parameters are, as a launch copies them.
    void operator()(Parameters... arguments) const
    {
        launch(grid, shape, [&] {
            accesses.is_on = true;
            kernel(arguments...);
            accesses.is_on = false;
        });
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

template <typename T> std::uint64_t bits_of(T value)
{
    static_assert(sizeof value == 4 || sizeof value == 8, "what can be shuffled");
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}

template <typename T> T of_bits(std::uint64_t bits)
{
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

inline int lane() { return int((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % warpSize); }

template <typename T> T shuffle(unsigned mask, T value, int source, int line)
{
    Exchange asked;
    asked.line = line;
    asked.mask = mask;
    asked.value = bits_of(value);
    asked.source = source;
    return of_bits<T>(block.exchange(asked).result);
}

inline unsigned vote(unsigned mask, bool value, int line)
{
    Exchange asked;
    asked.line = line;
    asked.mask = mask;
    asked.operation = 1;
    asked.value = value;
    return unsigned(block.exchange(asked).result);
}

// No thread runs at the same time as another, so that plain arithmetic is atomic.
template <typename T, typename Update> T atomically(T *at, Update update)
{
    report(at, sizeof *at, true, true);
    accesses.is_on = false;
    T old = *at;
    *at = update(old);
    accesses.is_on = true;
    return old;
}

} // namespace cuda_on_cpu

inline void __syncthreads(int line = __builtin_LINE()) { cuda_on_cpu::block.barrier(line); }
inline void __syncwarp(unsigned mask = 0xffffffffu, int line = __builtin_LINE()) { cuda_on_cpu::vote(mask, true, line); }
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
    return cuda_on_cpu::atomically(at, [&](T old) { return std::min(old, by); });
}
template <typename T> T atomicMax(T *at, Same<T> by)
{
    static_assert(std::is_integral_v<T>, "CUDA has none of floats");
    return cuda_on_cpu::atomically(at, [&](T old) { return std::max(old, by); });
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
template <typename T> const T &min(const T &a, const T &b) { return std::min(a, b); }
template <typename T> const T &max(const T &a, const T &b) { return std::max(a, b); }
inline int __float_as_int(float value) { return cuda_on_cpu::of_bits<int>(cuda_on_cpu::bits_of(value)); }
inline float __int_as_float(int bits) { return cuda_on_cpu::of_bits<float>(cuda_on_cpu::bits_of(bits)); }
inline unsigned __float_as_uint(float value) { return cuda_on_cpu::of_bits<unsigned>(cuda_on_cpu::bits_of(value)); }
inline float __uint_as_float(unsigned bits) { return cuda_on_cpu::of_bits<float>(cuda_on_cpu::bits_of(bits)); }
inline long long __double_as_longlong(double value) { return cuda_on_cpu::of_bits<long long>(cuda_on_cpu::bits_of(value)); }
inline double __longlong_as_double(long long bits) { return cuda_on_cpu::of_bits<double>(cuda_on_cpu::bits_of(bits)); }

inline const char *cudaGetErrorName(cudaError_t error) { return error ? "cudaErrorSomething" : "cudaSuccess"; }
inline const char *cudaGetErrorString(cudaError_t error) { return error ? "something failed" : "no error"; }
inline cudaError_t cudaPeekAtLastError() { return cuda_on_cpu::last_error; }
inline cudaError_t cudaGetLastError() { return std::exchange(cuda_on_cpu::last_error, cudaSuccess); }

template <typename T> cudaError_t cudaMalloc(T **at, std::size_t bytes)
{
    if (cuda_on_cpu::fails())
        return cudaErrorMemoryAllocation;
    *at = nullptr;
    if (!bytes)
        return cudaSuccess;
    void *memory = std::malloc(bytes);
    std::memset(memory, cuda_on_cpu::order.garbage(), bytes);
    cuda_on_cpu::on_device[static_cast<char *>(memory)] = bytes;
    cuda_on_cpu::accesses.watch(memory, bytes);
    __asan_poison_memory_region(memory, bytes);
    *at = static_cast<T *>(memory);
    return cudaSuccess;
}

inline cudaError_t cudaFree(void *at)
{
    if (at && !cuda_on_cpu::on_device.erase(static_cast<char *>(at)))
        cuda_on_cpu::wrong("cudaFree of what cudaMalloc did not give", 0);
    cuda_on_cpu::accesses.forget(at);
    std::free(at);
    return cuda_on_cpu::fails() ? cudaErrorUnknown : cudaSuccess;
}

inline cudaError_t cudaMemcpy(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind)
{
    if (cuda_on_cpu::fails())
        return cudaErrorUnknown;
    if (!bytes)
        return cudaSuccess;
    bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    const auto &device = cuda_on_cpu::on_device;
    if (device.has(to, to_device ? bytes : 1) != to_device || device.has(from, from_device ? bytes : 1) != from_device)
        return cuda_on_cpu::last_error = cudaErrorInvalidValue;
    device.allow();
    std::memcpy(to, from, bytes);
    device.forbid();
    return cudaSuccess;
}

inline cudaError_t cudaMemcpyAsync(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t = nullptr)
{
    return cudaMemcpy(to, from, bytes, kind);
}

inline cudaError_t cudaMemset(void *to, int value, std::size_t bytes)
{
    if (cuda_on_cpu::fails())
        return cudaErrorUnknown;
    if (bytes && !cuda_on_cpu::on_device.has(to, bytes))
        return cuda_on_cpu::last_error = cudaErrorInvalidValue;
    cuda_on_cpu::on_device.allow();
    std::memset(to, value, bytes);
    cuda_on_cpu::on_device.forbid();
    return cudaSuccess;
}

template <typename T> cudaError_t cudaMemcpyToSymbol(T &symbol, const void *from, std::size_t bytes)
{
    std::memcpy(&symbol, from, bytes);
    return cuda_on_cpu::fails() ? cudaErrorUnknown : cudaSuccess;
}

inline cudaError_t cudaDeviceSynchronize() { return cuda_on_cpu::fails() ? cudaErrorUnknown : cudaGetLastError(); }
inline cudaError_t cudaEventCreate(cudaEvent_t *event) { return *event = nullptr, cudaSuccess; }
inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = nullptr) { return cudaSuccess; }
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t, cudaEvent_t) { return *milliseconds = 1, cudaSuccess; }
