// Quantity: dram.bandwidth_gb_per_s
// Keys: dram.bandwidth_gb_per_s
// SASS: stream_read LDG\.E\.128.* >= 4
// SASS: stream_write STG\.E\.128.* >= 4
// SASS: stream_copy LDG\.E\.128.* >= 4
// SASS: stream_copy STG\.E\.128.* >= 4
// SASS: stream_triad LDG\.E\.128.* >= 8
// SASS: stream_triad STG\.E\.128.* >= 4
// Arrays far beyond L2, 16 bytes per access, 4 accesses in flight in each thread; several launches in a row are one
// sample. Method: J. McCalpin's STREAM, as on GPUs: T. Deakin et al., "GPU-STREAM", 2016.

enum { STREAM_THREADS = 256, STREAM_AT_ONCE = 4, STREAM_TILE = STREAM_THREADS * STREAM_AT_ONCE };

static __device__ __forceinline__ size_t stream_first()
{
    return size_t{blockIdx.x} * STREAM_TILE + threadIdx.x;
}

static __device__ __forceinline__ float4 scaled_sum(float4 b, float scale, float4 c)
{
    return {fmaf(scale, c.x, b.x), fmaf(scale, c.y, b.y), fmaf(scale, c.z, b.z), fmaf(scale, c.w, b.w)};
}

// Stores only if the data sum up to `never`, a number that they don't: the compiler can't know.
static __global__ void stream_read(float4 *a, const float4 *b, const float4 *, float never)
{
    size_t first = stream_first();
    float4 sum = {0, 0, 0, 0};
#pragma unroll
    for (int i = 0; i < STREAM_AT_ONCE; i++)
        sum = scaled_sum(sum, 1, b[first + i * STREAM_THREADS]);
    if (sum.x + sum.y + sum.z + sum.w == never)
        a[first] = sum;
}

static __global__ void stream_write(float4 *a, const float4 *, const float4 *, float value)
{
    size_t first = stream_first();
#pragma unroll
    for (int i = 0; i < STREAM_AT_ONCE; i++)
        a[first + i * STREAM_THREADS] = {value, value, value, value};
}

static __global__ void stream_copy(float4 *__restrict__ a, const float4 *__restrict__ b, const float4 *, float)
{
    size_t first = stream_first();
#pragma unroll
    for (int i = 0; i < STREAM_AT_ONCE; i++)
        a[first + i * STREAM_THREADS] = b[first + i * STREAM_THREADS];
}

static __global__ void stream_triad(float4 *__restrict__ a, const float4 *__restrict__ b, const float4 *__restrict__ c,
                                    float scale)
{
    size_t first = stream_first();
#pragma unroll
    for (int i = 0; i < STREAM_AT_ONCE; i++)
        a[first + i * STREAM_THREADS] =
            scaled_sum(b[first + i * STREAM_THREADS], scale, c[first + i * STREAM_THREADS]);
}

static void dram_bandwidth_gb_per_s(const Plan &plan)
{
    enum { LAUNCHES = 4 };
    struct {
        const char *series;
        void (*kernel)(float4 *, const float4 *, const float4 *, float);
        int arrays;
        float argument;
    } const streams[] = {
        {"copy", stream_copy, 2, 0},
        {"triad", stream_triad, 3, 1.5f},
        {"read", stream_read, 1, -1},
        {"write", stream_write, 1, 1.5f},
    };
    size_t bytes = beyond_l2_bytes(16, size_t{plan.quick ? 256u : 1024u} << 20);
    unsigned blocks = static_cast<unsigned>(bytes / sizeof(float4) / STREAM_TILE);
    DeviceArray<float4> a(bytes / sizeof(float4)), b(a.count()), c(a.count());
    EventTimer timer;
    fill_random(b);
    fill_random(c);
    for (const auto &stream : streams) {
        Samples rates = sampled(plan, [&] {
            double s = timer.seconds([&] {
                for (int i = 0; i < LAUNCHES; i++)
                    stream.kernel<<<blocks, STREAM_THREADS>>>(a.data(), b.data(), c.data(), stream.argument);
            });
            return 1e-9 * LAUNCHES * stream.arrays * static_cast<double>(bytes) / s;
        });
        write_series(plan, stream.series, {{"array_bytes", bytes}}, "GB/s", rates);
    }
}
