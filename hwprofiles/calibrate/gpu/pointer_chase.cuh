// Loads by one thread, each of which gives the next one's address: the time of a load is its latency.
//
// Method: R. Saavedra, A. Smith, IEEE Trans. Computers 1995, and H. Wong et al., ISPASS 2010 (fine strides and
// footprints on GPUs); X. Mei, X. Chu, IEEE TPDS 2017. Random order, as no prefetcher guesses it. An address is stored
// whole, so that nothing but the load is in the chain.
#pragma once
#include "cyclic_order.h"
#include "samples.cuh"
#include "timing.cuh"

enum { CHASE_UNROLL = 32 };

// Which cache may answer first: L1 (ld, whose default is .ca; written out it becomes another instruction than C's
// loads), or L2 (ld.cg).
enum Level { FROM_L1, FROM_L2 };

template <Level LEVEL> static __device__ __forceinline__ uint64_t load_address(uint64_t at)
{
    uint64_t next;
    if (LEVEL == FROM_L1)
        asm volatile("ld.global.u64 %0, [%1];" : "=l"(next) : "l"(at));
    else
        asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(at));
    return next;
}

struct Timed {
    int64_t cycles, ns;
};

// From `*position` on: `warm_loads` that don't count, then `loads` for each of `samples`; both multiples of the unroll.
template <Level LEVEL>
static __device__ __forceinline__ void chase(uint64_t *position, size_t warm_loads, size_t loads, int samples,
                                             Timed *timed)
{
    uint64_t at = *position;
#pragma unroll 1
    for (size_t i = 0; i < warm_loads; i++)
        at = load_address<LEVEL>(at);
#pragma unroll 1
    for (int sample = 0; sample < samples; sample++) {
        int64_t start_ns = device_ns(), start = clock_cycles();
#pragma unroll 1
        for (size_t i = 0; i < loads; i += CHASE_UNROLL)
#pragma unroll
            for (int j = 0; j < CHASE_UNROLL; j++)
                at = load_address<LEVEL>(at);
        int64_t stop = clock_cycles(), stop_ns = device_ns();
        timed[sample] = {stop - start, stop_ns - start_ns};
    }
    *position = at;
}

static __global__ void chase_l1(uint64_t *position, size_t warm_loads, size_t loads, int samples, Timed *timed)
{
    chase<FROM_L1>(position, warm_loads, loads, samples, timed);
}

static __global__ void chase_l2(uint64_t *position, size_t warm_loads, size_t loads, int samples, Timed *timed)
{
    chase<FROM_L2>(position, warm_loads, loads, samples, timed);
}

static __global__ void link_places(char *memory, const uint32_t *order, size_t places, size_t stride_bytes)
{
    size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= places)
        return;
    char *place = memory + order[i] * stride_bytes, *next = memory + order[i + 1 < places ? i + 1 : 0] * stride_bytes;
    *reinterpret_cast<uint64_t *>(place) = reinterpret_cast<uint64_t>(next);
}

// A ring of places in memory: `footprint_bytes` a multiple of `stride_bytes`, that one of 8.
class Ring {
  public:
    Ring(size_t footprint_bytes, size_t stride_bytes, size_t window_bytes)
        : memory_(footprint_bytes), position_(1), places_(footprint_bytes / stride_bytes)
    {
        DeviceArray<uint32_t> order(cyclic_order(places_, window_bytes / stride_bytes));
        unsigned blocks = static_cast<unsigned>((places_ + 255) / 256);
        link_places<<<blocks, 256>>>(memory_.data(), order.data(), places_, stride_bytes);
        CHECK_KERNELS();
        // Starts at the first place in the memory, wherever that is in the order.
        uint64_t first = reinterpret_cast<uint64_t>(memory_.data());
        CHECK(cudaMemcpy(position_.data(), &first, sizeof first, cudaMemcpyHostToDevice));
    }

    size_t places() const { return places_; }

    // Each call goes on where the one before stopped.
    template <class Kernel> std::vector<Timed> run(Kernel kernel, size_t warm_loads, size_t loads, int samples) const
    {
        DeviceArray<Timed> timed(static_cast<size_t>(samples));
        raise_clocks(); // the GPU may have been idle while the host made the ring
        kernel<<<1, 1>>>(position_.data(), warm_loads, loads, samples, timed.data());
        CHECK_KERNELS();
        return timed.on_host();
    }

  private:
    DeviceArray<char> memory_;
    DeviceArray<uint64_t> position_;
    size_t places_;
};

static Samples cycles_per_load(const std::vector<Timed> &timed, size_t loads)
{
    Samples cycles;
    for (const Timed &one : timed)
        cycles.push_back(static_cast<double>(one.cycles) / static_cast<double>(loads));
    return cycles;
}

// None of those that were too short for the device's clock to move.
static Samples sm_mhz(const std::vector<Timed> &timed)
{
    Samples mhz;
    for (const Timed &one : timed)
        if (one.ns > 0)
            mhz.push_back(1e3 * static_cast<double>(one.cycles) / static_cast<double>(one.ns));
    return mhz;
}

// Loads of a whole number of times around a ring, at least `least`, in multiples of the unroll.
static size_t loads_around(const Ring &ring, size_t least)
{
    size_t times = (least + ring.places() - 1) / ring.places();
    return (times * ring.places() + CHASE_UNROLL - 1) / CHASE_UNROLL * CHASE_UNROLL;
}
