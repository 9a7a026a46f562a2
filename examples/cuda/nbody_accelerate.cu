/*
 * nbody_accelerate.cu: the body of `accelerate` (nbody.c, lines 12 to 25) for CUDA.
 *
 * Predicted on A100 SXM4 40 GB with bodies = 16384:
 * - 1.43 ms per launch, bound by computation; block 256, tile of old as asked for; occupancy 12%, 28
 *   registers.
 *   `old` in 7 KiB of shared memory, saves 23.2 MiB of traffic per block.
 *
 * In the C program:
 *
 *     void accelerate_cuda(int bodies, const struct body *restrict old, struct body *restrict p, float dt);
 *
 * and `accelerate_cuda(bodies, old, p, dt);` in place of `accelerate(bodies, old, p, dt);`.
 * Compile with `nvcc -O3 -arch=sm_80 -c nbody_accelerate.cu` and link nbody_accelerate.o with the program and
 * -lcudart. With -fmad=false nvcc rounds each product and each sum by itself, as C compilers do.
 * An error of CUDA ends the program with a message.
 */
#include <climits>
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

struct body {
    float x;
    float y;
    float z;
    float mass;
    float vx;
    float vy;
    float vz;
};
static_assert(sizeof(struct body) == 28, "laid out as in C");

static __global__ void __launch_bounds__(256)
accelerate_kernel(const struct body *__restrict__ old, struct body *__restrict__ p, int bodies, float dt)
{
    __shared__ struct body old_tile[256];
    const int i_block = blockIdx.x * 256;
    const int i = i_block + threadIdx.x;
    float ax = 0.0f;
    float ay = 0.0f;
    float az = 0.0f;
    for (int j_chunk = 0; j_chunk < bodies; j_chunk += 256) {
        {
            const int at = threadIdx.x;
            if (j_chunk + at < bodies)
                old_tile[at] = old[j_chunk + at];
        }
        __syncthreads();
        const int j_end = min(j_chunk + 256, bodies);
        for (int j = j_chunk; j < j_end; j++) {
            if (i < bodies) {
                const float dx = old_tile[j - j_chunk].x - old[i].x;
                const float dy = old_tile[j - j_chunk].y - old[i].y;
                const float dz = old_tile[j - j_chunk].z - old[i].z;
                const float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + 1e-09f);
                const float f = old_tile[j - j_chunk].mass * inverse * inverse * inverse;
                ax += f * dx;
                ay += f * dy;
                az += f * dz;
            }
        }
        __syncthreads();
    }
    if (i < bodies) {
        p[i].vx = old[i].vx + dt * ax;
        p[i].vy = old[i].vy + dt * ay;
        p[i].vz = old[i].vz + dt * az;
    }
}

/* Ends the program where CUDA says that something went wrong. */
static void check(cudaError_t error, const char *what, int line)
{
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, line, what, cudaGetErrorString(error));
    std::exit(EXIT_FAILURE);
}
#define CHECK(call) check(call, #call, __LINE__)

/* Blocks along an axis of the grid, each for so many iterations. */
static unsigned blocks_along(long iterations, long per_block, long most)
{
    const long blocks = iterations > 0 ? (iterations + per_block - 1) / per_block : 0;
    return (unsigned)(blocks < most ? blocks : most);
}

/* Ends the program where sizes do not hold to what the kernels rest on. */
static void require(bool holds, const char *what)
{
    if (holds)
        return;
    std::fprintf(stderr, "%s: %s does not hold\n", __FILE__, what);
    std::exit(EXIT_FAILURE);
}

extern "C" void accelerate_cuda(int bodies, const struct body *old, struct body *p, float dt)
{
    if (bodies <= 0)
        return;
    require(bodies <= INT_MAX - 255, "bodies <= INT_MAX - 255");

    /* old: only read. */
    struct body *d_old = nullptr;
    CHECK(cudaMalloc(&d_old, bodies * sizeof(struct body)));
    CHECK(cudaMemcpy(d_old, old, bodies * sizeof(struct body), cudaMemcpyHostToDevice));

    /* p: written in part, so that the rest of the section has to be there. */
    struct body *d_p = nullptr;
    CHECK(cudaMalloc(&d_p, bodies * sizeof(struct body)));
    CHECK(cudaMemcpy(d_p, p, bodies * sizeof(struct body), cudaMemcpyHostToDevice));

    const dim3 block(256);
    const dim3 grid(blocks_along(bodies, 256, 2147483647));
    accelerate_kernel<<<grid, block>>>(d_old, d_p, bodies, dt);
    CHECK(cudaGetLastError());

    CHECK(cudaMemcpy(p, d_p, bodies * sizeof(struct body), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_old));
    CHECK(cudaFree(d_p));
}
