// Measures what a GPU profile says of this machine's first GPU.
//
//   calibrate_gpu list                       the quantities, one a line
//   calibrate_gpu run QUANTITY [--quick]     samples of one, as lines of JSON
//
// README.md says what each measures, and what the exit codes mean. CUDA_VISIBLE_DEVICES chooses another GPU.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

#include "cached_loads.cuh"
#include "chains.cuh"
#include "pointer_chase.cuh"

#include "atomics/adding.cuh"
#include "host/empty_kernel.cuh"

#include "device/properties.cu"
#include "device/sm_clock_mhz.cu"
#include "device/block_launch_cycles.cu"
#include "device/kernel_time_us.cu"

#include "instructions/fp32_add.cu"
#include "instructions/fp32_mul.cu"
#include "instructions/fp32_fma.cu"
#include "instructions/fp32_div.cu"
#include "instructions/fp32_sqrt.cu"
#include "instructions/fp32_special.cu"
#include "instructions/fp64_add.cu"
#include "instructions/fp64_mul.cu"
#include "instructions/fp64_fma.cu"
#include "instructions/fp64_div.cu"
#include "instructions/fp64_sqrt.cu"
#include "instructions/fp64_special.cu"
#include "instructions/int_add.cu"
#include "instructions/int_mul.cu"
#include "instructions/int_mad.cu"
#include "instructions/int_div.cu"
#include "instructions/int64_add.cu"
#include "instructions/int64_mul.cu"
#include "instructions/int64_div.cu"
#include "instructions/logic.cu"
#include "instructions/shift.cu"
#include "instructions/compare.cu"
#include "instructions/convert.cu"
#include "instructions/branch.cu"

#include "shared/latency_cycles.cu"
#include "shared/bytes_per_clk_per_sm.cu"
#include "shared/banks.cu"

#include "l1/latency_cycles.cu"
#include "l1/size_bytes.cu"
#include "l1/bytes_per_clk_per_sm.cu"
#include "l1/lines_per_clk_per_sm.cu"

#include "l2/latency_cycles.cu"
#include "l2/bandwidth_gb_per_s.cu"

#include "dram/latency_cycles.cu"
#include "dram/bandwidth_gb_per_s.cu"
#include "dram/bytes_in_flight.cu"
#include "dram/stride.cu"

#include "atomics/same_address.cu"
#include "atomics/spread.cu"

#include "host/launch_overhead_us.cu"
#include "host/launch_interval_us.cu"
#include "host/context_init_ms.cu"
#include "host/transfers.cu"

using Measure = void (*)(const Plan &);

#define QUANTITY(SECTION, KEY) {#SECTION "." #KEY, SECTION##_##KEY}

static const struct {
    const char *name;
    Measure measure;
} quantities[] = {
    QUANTITY(device, properties),
    QUANTITY(device, sm_clock_mhz),
    QUANTITY(device, block_launch_cycles),
    QUANTITY(device, kernel_time_us),
    QUANTITY(instructions, fp32_add),
    QUANTITY(instructions, fp32_mul),
    QUANTITY(instructions, fp32_fma),
    QUANTITY(instructions, fp32_div),
    QUANTITY(instructions, fp32_sqrt),
    QUANTITY(instructions, fp32_special),
    QUANTITY(instructions, fp64_add),
    QUANTITY(instructions, fp64_mul),
    QUANTITY(instructions, fp64_fma),
    QUANTITY(instructions, fp64_div),
    QUANTITY(instructions, fp64_sqrt),
    QUANTITY(instructions, fp64_special),
    QUANTITY(instructions, int_add),
    QUANTITY(instructions, int_mul),
    QUANTITY(instructions, int_mad),
    QUANTITY(instructions, int_div),
    QUANTITY(instructions, int64_add),
    QUANTITY(instructions, int64_mul),
    QUANTITY(instructions, int64_div),
    QUANTITY(instructions, logic),
    QUANTITY(instructions, shift),
    QUANTITY(instructions, compare),
    QUANTITY(instructions, convert),
    QUANTITY(instructions, branch),
    QUANTITY(shared, latency_cycles),
    QUANTITY(shared, bytes_per_clk_per_sm),
    QUANTITY(shared, banks),
    QUANTITY(l1, latency_cycles),
    QUANTITY(l1, size_bytes),
    QUANTITY(l1, bytes_per_clk_per_sm),
    QUANTITY(l1, lines_per_clk_per_sm),
    QUANTITY(l2, latency_cycles),
    QUANTITY(l2, bandwidth_gb_per_s),
    QUANTITY(dram, latency_cycles),
    QUANTITY(dram, bandwidth_gb_per_s),
    QUANTITY(dram, bytes_in_flight),
    QUANTITY(dram, stride),
    QUANTITY(atomics, same_address),
    QUANTITY(atomics, spread),
    QUANTITY(host, launch_overhead_us),
    QUANTITY(host, launch_interval_us),
    QUANTITY(host, context_init_ms),
    QUANTITY(host, transfers),
};

// Not before context_init_ms, which is the first CUDA call: that one finds out by itself that there is no GPU.
static void find_gpu()
{
    int count = 0;
    CHECK(cudaGetDeviceCount(&count));
    CHECK(count > 0 ? cudaSetDevice(0) : cudaErrorNoDevice);
    raise_clocks();
}

static int run(const char *name, bool quick)
{
    for (const auto &quantity : quantities) {
        if (strcmp(quantity.name, name) != 0)
            continue;
        if (quantity.measure != host_context_init_ms)
            find_gpu();
        quantity.measure({quantity.name, quick, quick ? 5 : 15, 2});
        printf("{\"quantity\":\"%s\",\"done\":true}\n", quantity.name);
        return fflush(stdout) == 0 ? DONE : CUDA_FAILED;
    }
    fprintf(stderr, "%s is not measured here; `calibrate_gpu list` says what is\n", name);
    return WRONG_COMMAND_LINE;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        for (const auto &quantity : quantities)
            puts(quantity.name);
        return DONE;
    }
    bool quick = argc == 4 && strcmp(argv[3], "--quick") == 0;
    if ((argc == 3 || quick) && strcmp(argv[1], "run") == 0)
        return run(argv[2], quick);
    fprintf(stderr, "usage: calibrate_gpu list | run QUANTITY [--quick]\n");
    return WRONG_COMMAND_LINE;
}
