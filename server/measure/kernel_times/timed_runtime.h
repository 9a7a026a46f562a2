// Above a port: its kernels are timed by events, its copies by the clock, without a change to its text.
//
// A port calls the runtime as ever; `cudaMemcpy` and the like are ours from here on, and what launches a kernel calls
// `warplens_before_launch` in its configuration. A run's kernels are timed from its first launch to the last one before
// the host waits. A short kernel that only waits goes in front, so that the GPU has everything queued when it starts:
// what the host takes to launch is no part of the time.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

static void warplens_require(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
        std::exit(1);
    }
}

static double warplens_clock_s()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static struct {
    cudaEvent_t start, stop;
    double in_s, out_s;
    long launches;
    bool is_started, is_pending;
    unsigned *other_data;
    int l2_bytes;
} warplens_run;

#ifdef WARPLENS_ON_CPU
static void warplens_set_up() {}
static void warplens_cold_cache_and_gate() {}
extern "C" const char *warplens_device() { return "null"; }
#else
static __global__ void warplens_gate(long long cycles)
{
    for (long long start = clock64(); clock64() - start < cycles;) {
    }
}

// Reads other data, four times what the L2 holds, since it need not give up the oldest first. Written data would stay
// there until a kernel's own misses drive it out, in the time of that kernel.
static __global__ void warplens_read_other_data(unsigned *words, size_t count)
{
    unsigned all = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += gridDim.x * (size_t)blockDim.x)
        all |= words[i];
    if (all) // they are zero, which the compiler does not know
        words[0] = all;
}

// A GPU that had nothing to do lowers its clocks and takes tens of milliseconds to raise them: once in a process, all
// its multiprocessors are kept busy before anything is timed.
static void warplens_raise_clocks()
{
    int multiprocessors = 0;
    if (getenv("WARPLENS_CLOCKS_ARE_UP"))
        return;
    warplens_require(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), "multiprocessors");
    for (double began = warplens_clock_s(); warplens_clock_s() - began < 0.15;) {
        warplens_gate<<<4 * multiprocessors, 256>>>(10000000);
        warplens_require(cudaDeviceSynchronize(), "raising the clocks");
    }
    setenv("WARPLENS_CLOCKS_ARE_UP", "1", 1);
}

static void warplens_set_up()
{
    int devices = 0;
    cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess || devices == 0) {
        std::fprintf(stderr, "no GPU: %s\n", cudaGetErrorString(error));
        std::exit(4);
    }
    warplens_require(cudaDeviceGetAttribute(&warplens_run.l2_bytes, cudaDevAttrL2CacheSize, 0), "the L2's size");
    warplens_require(cudaEventCreate(&warplens_run.start), "an event");
    warplens_require(cudaEventCreate(&warplens_run.stop), "an event");
#ifndef WARPLENS_WARM_L2
    size_t other_bytes = 4 * (size_t)warplens_run.l2_bytes;
    warplens_require(cudaMalloc(&warplens_run.other_data, other_bytes), "memory to clear the L2");
    warplens_require(cudaMemset(warplens_run.other_data, 0, other_bytes), "memory to clear the L2");
#endif
    warplens_raise_clocks();
}

static void warplens_cold_cache_and_gate()
{
    if (warplens_run.other_data)
        warplens_read_other_data<<<1024, 256>>>(warplens_run.other_data, warplens_run.l2_bytes);
    warplens_gate<<<1, 1>>>(100000);
}

static int warplens_attribute(cudaDeviceAttr attribute)
{
    int value = 0;
    return cudaDeviceGetAttribute(&value, attribute, 0) == cudaSuccess ? value : 0;
}

extern "C" const char *warplens_device()
{
    static char text[512];
    cudaDeviceProp device;
    int driver = 0, runtime = 0;
    warplens_set_up();
    warplens_require(cudaGetDeviceProperties(&device, 0), "the device's properties");
    warplens_require(cudaDriverGetVersion(&driver), "the driver's version");
    warplens_require(cudaRuntimeGetVersion(&runtime), "the runtime's version");
    std::snprintf(text, sizeof text,
                  "{\"name\": \"%s\", \"compute_capability\": \"%d.%d\", \"multiprocessors\": %d, \"driver\": %d, "
                  "\"runtime\": %d, \"clock_khz\": %d, \"memory_clock_khz\": %d, \"l2_bytes\": %d}",
                  device.name, device.major, device.minor, device.multiProcessorCount, driver, runtime,
                  warplens_attribute(cudaDevAttrClockRate), warplens_attribute(cudaDevAttrMemoryClockRate),
                  warplens_run.l2_bytes);
    return text;
}
#endif

extern "C" void warplens_start_run()
{
    warplens_run.in_s = warplens_run.out_s = 0;
    warplens_run.launches = 0;
    warplens_run.is_started = warplens_run.is_pending = false;
}

static void warplens_stop_clock()
{
    if (warplens_run.is_pending)
        warplens_require(cudaEventRecord(warplens_run.stop), "an event");
    warplens_run.is_pending = false;
}

// Kernels in seconds, copies in and out in seconds, launches.
extern "C" void warplens_end_run(double *times)
{
    float kernels_ms = 0;
    warplens_stop_clock();
    if (warplens_run.is_started) {
        warplens_require(cudaEventSynchronize(warplens_run.stop), "waiting for the kernels");
        warplens_require(cudaEventElapsedTime(&kernels_ms, warplens_run.start, warplens_run.stop), "the kernels' time");
    }
    times[0] = 1e-3 * kernels_ms;
    times[1] = warplens_run.in_s;
    times[2] = warplens_run.out_s;
    times[3] = (double)warplens_run.launches;
}

static void warplens_before_launch()
{
    if (!warplens_run.is_started) {
        warplens_cold_cache_and_gate();
        warplens_require(cudaEventRecord(warplens_run.start), "an event");
    }
    warplens_run.is_started = warplens_run.is_pending = true;
    warplens_run.launches++;
}

static cudaError_t warplens_synchronize()
{
    warplens_stop_clock();
    return cudaDeviceSynchronize();
}

static cudaError_t warplens_memcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    if (kind == cudaMemcpyDeviceToDevice)
        return cudaMemcpy(to, from, bytes, kind);
    warplens_stop_clock();
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess)
        return error;
    double began = warplens_clock_s();
    error = cudaMemcpy(to, from, bytes, kind);
    if (error == cudaSuccess)
        error = cudaDeviceSynchronize();
    (kind == cudaMemcpyHostToDevice ? warplens_run.in_s : warplens_run.out_s) += warplens_clock_s() - began;
    return error;
}

#define cudaMemcpy warplens_memcpy
#define cudaDeviceSynchronize warplens_synchronize
