/* Blocks resident on an SM by NVIDIA's cuda_occupancy.h, for one compute capability: `occupancy_header 80 threads...`.
 *
 * Reads a line "threads registers shared_bytes" after the other, writes the header's answer to each. The properties are
 * those of the CUDA Programming Guide (13.1, tables 30 to 32; 4.2 for 3.x), not those of our profiles.
 */
#include <stdio.h>
#include <stdlib.h>
#include "cuda_occupancy.h"

typedef struct {
    int capability, threads_per_sm;
    size_t shared_per_sm, shared_per_block_optin, reserved;
} Device;

static const Device devices[] = {
    {30, 2048, 49152, 49152, 0},       {35, 2048, 49152, 49152, 0},       {52, 2048, 98304, 49152, 0},
    {60, 2048, 65536, 49152, 0},       {61, 2048, 98304, 49152, 0},       {70, 2048, 98304, 98304, 0},
    {75, 1024, 65536, 65536, 0},       {80, 2048, 167936, 166912, 1024},  {86, 1536, 102400, 101376, 1024},
    {89, 1536, 102400, 101376, 1024},  {90, 2048, 233472, 232448, 1024},  {100, 2048, 233472, 232448, 1024},
    {120, 1536, 102400, 101376, 1024},
};

int main(int argc, char **argv) {
    int wanted = argc > 1 ? atoi(argv[1]) : 0;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        const Device *d = &devices[i];
        if (d->capability != wanted) continue;
        cudaOccDeviceProp device = {d->capability / 10, d->capability % 10, 1024, d->threads_per_sm, 65536, 65536, 32,
                                    49152, d->shared_per_sm, 1, d->shared_per_block_optin, d->reserved};
        cudaOccDeviceState state = {0};
        state.cacheConfig = CACHE_PREFER_SHARED;
        state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
        int threads, registers;
        size_t shared;
        while (scanf("%d %d %zu", &threads, &registers, &shared) == 3) {
            cudaOccFuncAttributes kernel = {0};
            kernel.maxThreadsPerBlock = 1024;
            kernel.numRegs = registers;
            kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
            kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
            kernel.maxDynamicSharedSizeBytes = shared;
            cudaOccResult result;
            cudaOccError error =
                cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, threads, shared);
            printf("%d\n", error ? -1 : result.activeBlocksPerMultiprocessor);
        }
        return 0;
    }
    fprintf(stderr, "no such compute capability: %d\n", wanted);
    return 2;
}
