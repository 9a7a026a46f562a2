// Quantity: dram.stride
// Keys:
// SASS: read_strided LDG\.E\.STRONG\.GPU >= 4
// Reads of 4 bytes whose neighbours are `stride_bytes` apart, over the same footprint whatever the stride: how many
// bytes come for one that is used. At large strides several launches read different lines, so that all have enough to
// do. L2 is filled with other data before each sample. Method: M. Harris, "How to Access Global Memory Efficiently in
// CUDA C/C++ Kernels" (strided copy), 2013.

enum { STRIDED_THREADS = 256, STRIDED_AT_ONCE = 4, STRIDED_TILE = STRIDED_THREADS * STRIDED_AT_ONCE };

// Stores only if what is read adds up to `never`: the exponents of the data don't let it.
static __global__ void read_strided(const uint32_t *memory, size_t stride_words, uint32_t never, uint32_t *results)
{
    size_t first = size_t{blockIdx.x} * STRIDED_TILE + threadIdx.x;
    uint32_t got[STRIDED_AT_ONCE], all = 0;
#pragma unroll
    for (int i = 0; i < STRIDED_AT_ONCE; i++)
        got[i] = mixed_past_l1(memory + (first + i * STRIDED_THREADS) * stride_words);
#pragma unroll
    for (int i = 0; i < STRIDED_AT_ONCE; i++)
        all |= got[i];
    if (all == never)
        *results = all;
}

static void dram_stride(const Plan &plan)
{
    enum { LINE_BYTES = 128, MOST_LAUNCHES = 8 };
    size_t bytes = beyond_l2_bytes(8, size_t{plan.quick ? 256u : 1024u} << 20);
    DeviceArray<uint32_t> memory(bytes / sizeof(uint32_t)), results(1);
    DeviceArray<char> other(2 * l2_bytes());
    EventTimer timer;
    fill_random(memory);
    for (size_t stride : {4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048}) {
        size_t count = bytes / stride, lines = std::max(stride / LINE_BYTES, size_t{1});
        size_t launches = std::min(lines, size_t{MOST_LAUNCHES});
        unsigned blocks = static_cast<unsigned>(count / STRIDED_TILE);
        Samples rates = sampled(plan, [&] {
            other.fill(0);
            double s = timer.seconds([&] {
                for (size_t i = 0; i < launches; i++)
                    read_strided<<<blocks, STRIDED_THREADS>>>(memory.data() + i * LINE_BYTES / sizeof(uint32_t),
                                                              stride / sizeof(uint32_t), 0, results.data());
            });
            return 1e-9 * sizeof(uint32_t) * static_cast<double>(launches * blocks) * STRIDED_TILE / s;
        });
        write_series(plan, "useful_bandwidth", {{"stride_bytes", stride}}, "GB/s", rates);
    }
}
