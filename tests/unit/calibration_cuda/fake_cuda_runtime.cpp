/* A CUDA runtime without a GPU, for the host's side of calibrate_gpu.cu: device memory is the host's, and a kernel is a
 * few lines that touch the ends of what it would touch and write made-up times. Nothing of it is a measurement.
 *
 * FAKE_FAILS names a call that fails, FAKE_SMS how many SMs the blocks go to (all 8 unless it is said). */
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include <cuda_runtime.h>

namespace {

constexpr int SMS = 8;
constexpr size_t FREE_BYTES = size_t{256} << 20;

struct Timed { int64_t cycles, ns; };
struct WarpTime { int64_t start, stop; uint64_t sm; };
struct BlockStart { int64_t cycles; uint64_t sm; };
struct ChainArguments { const void *values; void *results; int passes; int64_t *cycles; WarpTime *times; };
struct Launch { dim3 grid, block; size_t shared; void *stream; } pending;

/* Made when it is first used: kernels register before the variables of this file are there. */
std::map<const void *, std::string> &kernels()
{
    static std::map<const void *, std::string> by_host_function;
    return by_host_function;
}

bool fails(const char *call)
{
    const char *failing = getenv("FAKE_FAILS");
    return failing != nullptr && strcmp(failing, call) == 0;
}

uint64_t sm_of(unsigned block)
{
    const char *sms = getenv("FAKE_SMS");
    return block % (sms != nullptr ? static_cast<unsigned>(atoi(sms)) : unsigned{SMS});
}

template <class T> T argument(void **arguments, int i) { return *static_cast<T *>(arguments[i]); }

template <class T> void touch(const T *at) { *const_cast<volatile T *>(at) = *at; }

void note_warps(WarpTime *times, unsigned blocks, unsigned threads)
{
    for (unsigned warp = 0; warp < blocks * threads / 32; warp++) {
        uint64_t sm = sm_of(warp / (threads / 32));
        times[warp] = {static_cast<int64_t>(1000000 * sm), static_cast<int64_t>(1000000 * sm + 20000 + warp % 3), sm};
    }
}

void chase(void **a, uint64_t cycles_per_load)
{
    uint64_t *position = argument<uint64_t *>(a, 0);
    size_t warm = argument<size_t>(a, 1), loads = argument<size_t>(a, 2);
    int samples = argument<int>(a, 3);
    for (size_t i = 0; i < warm + loads * static_cast<size_t>(samples); i++)
        *position = *reinterpret_cast<uint64_t *>(*position);
    for (int i = 0; i < samples; i++)
        argument<Timed *>(a, 4)[i] = {static_cast<int64_t>(cycles_per_load * loads), static_cast<int64_t>(loads)};
}

void run(const std::string &name, unsigned blocks, unsigned threads, void **a)
{
    auto is = [&](const char *part) {
        return name.find(std::to_string(strlen(part)) + part) != std::string::npos;
    };
    size_t all = size_t{blocks} * threads;
    if (name.find("ChainArguments") != std::string::npos) {
        ChainArguments chain = argument<ChainArguments>(a, 0);
        int links = atoi(name.c_str() + name.find("ILi") + 3);
        for (int pass = 0; chain.cycles != nullptr && pass < chain.passes; pass++)
            chain.cycles[pass] = 4 * links + 20;
        if (chain.times != nullptr)
            note_warps(chain.times, blocks, threads);
    } else if (is("chase_l1") || is("chase_l2")) {
        chase(a, is("chase_l1") ? 30 : 300);
    } else if (is("chase_shared")) {
        for (int i = 0; i < argument<int>(a, 1); i++)
            argument<Timed *>(a, 2)[i] = {20 * argument<int>(a, 0), 0};
    } else if (is("link_places")) {
        char *memory = argument<char *>(a, 0);
        const uint32_t *order = argument<const uint32_t *>(a, 1);
        size_t places = argument<size_t>(a, 2), stride = argument<size_t>(a, 3);
        for (size_t i = 0; i < places && i < all; i++)
            *reinterpret_cast<char **>(memory + order[i] * stride) = memory + order[(i + 1) % places] * stride;
    } else if (is("read_shared") || is("read_shared_strided") || is("read_l1") || is("read_l1_lines")) {
        touch(&argument<uint32_t *>(a, 3)[all - 1]);
        note_warps(argument<WarpTime *>(a, 4), blocks, threads);
    } else if (is("spin") || is("clock_under_load")) {
        touch(&argument<float *>(a, 2)[all - 1]);
        for (unsigned i = 0; is("clock_under_load") && i < blocks; i++)
            argument<Timed *>(a, 3)[i] = {1500 * argument<int64_t>(a, 0) / 1000, argument<int64_t>(a, 0)};
    } else if (is("note_start")) {
        for (unsigned i = 0; i < blocks; i++)
            argument<BlockStart *>(a, 0)[i] = {int64_t{50} * (i / SMS), sm_of(i)};
    } else if (is("fill_random_kernel")) {
        touch(&argument<uint32_t *>(a, 0)[argument<size_t>(a, 1) - 1]);
    } else if (is("read_l2") || is("read_waiting")) {
        size_t element = name.find("Ij") != std::string::npos ? 4 : 16;
        touch(argument<char *>(a, 0) + element * argument<uint32_t>(a, 1) - 1);
        touch(&argument<uint32_t *>(a, is("read_l2") ? 3 : 5)[all - 1]);
    } else if (is("read_strided")) {
        touch(&argument<uint32_t *>(a, 0)[(4 * all - 1) * argument<size_t>(a, 1)]);
    } else if (is("stream_read") || is("stream_write") || is("stream_copy") || is("stream_triad")) {
        for (int array = 0; array < 3; array++)
            touch(argument<char *>(a, array) + 16 * 4 * all - 1);
    } else if (is("add_global")) {
        touch(&argument<int *>(a, 0)[size_t{argument<uint32_t>(a, 2)} * argument<uint32_t>(a, 3)]);
    } else if (is("add_shared")) {
        touch(&argument<int *>(a, 0)[blocks - 1]);
    } else if (!is("empty_kernel")) {
        abort(); /* a kernel that this file does not know */
    }
}

} // namespace

extern "C" {

cudaError_t fake(const char *call) { return fails(call) ? cudaErrorMemoryAllocation : cudaSuccess; }

void **__cudaRegisterFatBinary(void *) { static void *handle; return &handle; }
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}
char __cudaInitModule(void **) { return 1; }
void __cudaRegisterFunction(void **, const char *host, char *, const char *name, int, uint3 *, uint3 *, dim3 *, dim3 *,
                            int *)
{
    kernels()[host] = name;
}
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream)
{
    pending = {grid, block, shared, stream};
    return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    *grid = pending.grid, *block = pending.block, *shared = pending.shared;
    *static_cast<void **>(stream) = pending.stream;
    return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host)
{
    *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void *>(host));
    return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t, cudaStream_t)
{
    if (grid.x < 1 || block.x < 1 || block.x > 1024)
        abort();
    run(kernels().at(kernel), grid.x, block.x, arguments);
    return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void *host, dim3 grid, dim3 block, void **arguments, size_t shared,
                             cudaStream_t stream)
{
    return __cudaLaunchKernel(reinterpret_cast<cudaKernel_t>(const_cast<void *>(host)), grid, block, arguments, shared,
                              stream);
}

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    *memory = aligned_alloc(256, (bytes + 255) / 256 * 256);
    return *memory == nullptr ? cudaErrorMemoryAllocation : fake("cudaMalloc");
}
cudaError_t cudaFree(void *memory) { return free(memory), fake("cudaFree"); }
cudaError_t cudaMallocHost(void **memory, size_t bytes)
{
    if (bytes > (1 << 20)) /* little may be pinned */
        return cudaErrorMemoryAllocation;
    *memory = malloc(bytes);
    return fake("cudaMallocHost");
}
cudaError_t cudaFreeHost(void *memory) { return free(memory), cudaSuccess; }
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind)
{
    return memcpy(to, from, bytes), fake("cudaMemcpy");
}
cudaError_t cudaMemset(void *memory, int value, size_t bytes) { return memset(memory, value, bytes), cudaSuccess; }
cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
    return *free = FREE_BYTES, *total = 2 * FREE_BYTES, cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() { return fake("cudaDeviceSynchronize"); }
cudaError_t cudaGetDeviceCount(int *count) { return *count = 1, fake("cudaGetDeviceCount"); }
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaGetLastError() { return fake("cudaGetLastError"); }
cudaError_t cudaDriverGetVersion(int *version) { return *version = 13000, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int *version) { return *version = 13000, cudaSuccess; }
cudaError_t cudaEventCreate(cudaEvent_t *) { return cudaSuccess; }
cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t, cudaEvent_t)
{
    return *ms = fails("clock") ? 0.0f : 1.0f, cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute, int) { return cudaSuccess; }
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *, int threads, size_t,
                                                                  unsigned)
{
    return *blocks = threads > 512 ? 1 : 1536 / threads < 16 ? 1536 / threads : 16, cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int)
{
    switch (which) {
    case cudaDevAttrMultiProcessorCount: *value = SMS; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = 1536; break;
    case cudaDevAttrL2CacheSize: *value = 4 << 20; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = 100 << 10; break;
    case cudaDevAttrMemoryClockRate: return cudaErrorInvalidValue; /* one that it does not know */
    default: *value = 1000;
    }
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int)
{
    memset(properties, 0, sizeof *properties);
    strcpy(properties->name, "Fake \"GPU\" \\");
    properties->major = 8, properties->minor = 0, properties->totalGlobalMem = 2 * FREE_BYTES;
    return cudaSuccess;
}
const char *cudaGetErrorName(cudaError_t) { return "cudaErrorMemoryAllocation"; }
const char *cudaGetErrorString(cudaError_t) { return "out of memory"; }

} // extern "C"
