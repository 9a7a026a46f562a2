// What the checks, which are C, need of the machine that the ports run on.
#include "accesses.h"
#include "cuda_runtime.h"
#include "driver.h"

#include <map>

#include <sanitizer/asan_interface.h>

// The linker's names for the section; null where nothing is shared.
extern "C" unsigned char __start_cuda_shared[] __attribute__((weak)), __stop_cuda_shared[] __attribute__((weak));

#if defined(__x86_64__)
asm(".text\n.globl cuda_on_cpu_switch\n.type cuda_on_cpu_switch, @function\ncuda_on_cpu_switch:\n"
    "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n    pushq %r13\n    pushq %r14\n    pushq %r15\n"
    "    movq %rsp, (%rdi)\n    movq %rsi, %rsp\n"
    "    popq %r15\n    popq %r14\n    popq %r13\n    popq %r12\n    popq %rbx\n    popq %rbp\n    ret\n"
    ".size cuda_on_cpu_switch, . - cuda_on_cpu_switch\n");
#endif

namespace cuda_on_cpu {

void wrong(const char *what, int line)
{
    std::fprintf(stderr, "wrong CUDA: line %d: %s\n", line, what);
    std::fflush(nullptr);
    std::_Exit(WRONG);
}

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
Ranges on_device, on_host;
cudaError_t last_error = cudaSuccess;
int calls = 0, failing_call = -1;

// Whether this call is the one that is to fail; calls are numbered from 0.
bool fails()
{
    bool is_failing = calls++ == failing_call;
    if (is_failing)
        last_error = cudaErrorUnknown;
    return is_failing;
}

constexpr unsigned MOST_THREADS = 1024;
constexpr dim3 LARGEST_BLOCK(1024, 1024, 64), LARGEST_GRID(2147483647, 65535, 65535);

// Memory of the host that no kernel may touch.
static void declare_host(void *start, std::size_t bytes)
{
    on_host[static_cast<char *>(start)] = bytes;
}

// An access by what was compiled with the ports. Memory of the device is poisoned while the host runs, and the host's
// arrays are while a kernel does: what is watched is a kernel's own.
void report(void *at, std::size_t bytes, bool is_write, bool is_atomic, const void *code)
{
    static bool is_reporting;
    if (is_reporting)
        return;
    is_reporting = true;
    bool is_watched = in_kernel && accesses.access(at, bytes, is_write, is_atomic, code);
    if (!is_watched &&
        (__asan_address_is_poisoned(at) || __asan_address_is_poisoned(static_cast<char *>(at) + bytes - 1)))
        wrong(!in_kernel           ? "the host uses memory of the device, or what is not allocated"
              : on_host.has(at, 1) ? "a kernel uses memory of the host"
                                   : "a kernel goes beyond an allocation",
              code);
    is_reporting = false;
}

static uint3 place(std::size_t number, dim3 extent)
{
    return {unsigned(number % extent.x), unsigned(number / extent.x % extent.y), unsigned(number / extent.x / extent.y)};
}

static bool is_launchable(dim3 grid, dim3 shape)
{
    bool is_empty = !grid.x || !grid.y || !grid.z || !shape.x || !shape.y || !shape.z;
    bool is_large = shape.x > LARGEST_BLOCK.x || shape.y > LARGEST_BLOCK.y || shape.z > LARGEST_BLOCK.z ||
                    grid.x > LARGEST_GRID.x || grid.y > LARGEST_GRID.y || grid.z > LARGEST_GRID.z;
    return !is_empty && !is_large && std::size_t(shape.x) * shape.y * shape.z <= MOST_THREADS;
}

void launch(dim3 grid, dim3 shape, void (*body)(const void *), const void *arguments)
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
    char *shared = reinterpret_cast<char *>(__start_cuda_shared);
    std::vector<std::size_t> blocks;
    order.arrange(blocks, std::size_t(grid.x) * grid.y * grid.z);
    if (shared)
        accesses.watch(shared, std::size_t(__stop_cuda_shared - __start_cuda_shared), true);
    accesses.begin_launch();
    in_kernel = true;
    for (std::size_t number : blocks) {
        accesses.begin_block(std::uint32_t(number), shared);
        blockIdx = place(number, grid);
        block.run(
            std::size_t(shape.x) * shape.y * shape.z, [&](std::size_t t) { threadIdx = place(t, shape); },
            [&] { body(arguments); });
    }
    in_kernel = false;
    on_host.allow();
    on_device.forbid();
}

cudaError_t allocate(void **at, std::size_t bytes)
{
    if (fails())
        return cudaErrorMemoryAllocation;
    *at = nullptr;
    if (!bytes)
        return cudaSuccess;
    void *memory = std::malloc(bytes);
    std::memset(memory, order.garbage(), bytes);
    on_device[static_cast<char *>(memory)] = bytes;
    accesses.watch(memory, bytes);
    __asan_poison_memory_region(memory, bytes);
    *at = memory;
    return cudaSuccess;
}

Exchange exchange(const Exchange &asked) { return block.exchange(asked); }
void barrier(int line) { block.barrier(line); }

} // namespace cuda_on_cpu

const char *cudaGetErrorName(cudaError_t error) { return error ? "cudaErrorSomething" : "cudaSuccess"; }
const char *cudaGetErrorString(cudaError_t error) { return error ? "something failed" : "no error"; }
cudaError_t cudaPeekAtLastError() { return cuda_on_cpu::last_error; }
cudaError_t cudaGetLastError() { return std::exchange(cuda_on_cpu::last_error, cudaSuccess); }

cudaError_t cudaFree(void *at)
{
    if (at && !cuda_on_cpu::on_device.erase(static_cast<char *>(at)))
        cuda_on_cpu::wrong("cudaFree of what cudaMalloc did not give", 0);
    cuda_on_cpu::accesses.forget(at);
    std::free(at);
    return cuda_on_cpu::fails() ? cudaErrorUnknown : cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind)
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

cudaError_t cudaMemset(void *to, int value, std::size_t bytes)
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

cudaError_t cudaDeviceSynchronize() { return cuda_on_cpu::fails() ? cudaErrorUnknown : cudaGetLastError(); }

void cuda_order(unsigned seed) { cuda_on_cpu::order = {seed}; }

void cuda_host(void *start, size_t bytes)
{
    if (bytes)
        cuda_on_cpu::declare_host(start, bytes);
}

// After a port: nothing may be left on the device, and no error unseen.
void cuda_done()
{
    cuda_on_cpu::on_host.clear();
    if (!cuda_on_cpu::on_device.empty())
        cuda_on_cpu::wrong("memory of the device that is never freed", 0);
    if (cuda_on_cpu::last_error)
        cuda_on_cpu::wrong("a failed call that nobody looked at", 0);
}

void cuda_fail(int call)
{
    cuda_on_cpu::calls = 0;
    cuda_on_cpu::failing_call = call;
}

int cuda_calls() { return cuda_on_cpu::calls; }

// What the compiler calls before every access. Those to volatile objects are relaxed operations, as atomic ones (PTX ISA).
extern "C" {
#define CALLER __builtin_return_address(0)
#define REPORTED(BYTES)                                                                                                \
    void __tsan_read##BYTES(void *at) { cuda_on_cpu::report(at, BYTES, false, false, CALLER); }                        \
    void __tsan_write##BYTES(void *at) { cuda_on_cpu::report(at, BYTES, true, false, CALLER); }                        \
    void __tsan_unaligned_read##BYTES(void *at) { cuda_on_cpu::report(at, BYTES, false, false, CALLER); }              \
    void __tsan_unaligned_write##BYTES(void *at) { cuda_on_cpu::report(at, BYTES, true, false, CALLER); }              \
    void __tsan_volatile_read##BYTES(void *at) { cuda_on_cpu::report(at, BYTES, false, true, CALLER); }                \
    void __tsan_volatile_write##BYTES(void *at) { cuda_on_cpu::report(at, BYTES, true, true, CALLER); }
REPORTED(1)
REPORTED(2)
REPORTED(4)
REPORTED(8)
REPORTED(16)
void __tsan_read_range(void *at, unsigned long bytes) { cuda_on_cpu::report(at, bytes, false, false, CALLER); }
void __tsan_write_range(void *at, unsigned long bytes) { cuda_on_cpu::report(at, bytes, true, false, CALLER); }
void __tsan_vptr_update(void **, void *) {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
void __tsan_init() {}
}
