// Quantity: device.block_launch_cycles
// Keys: device.block_launch_cycles
// SASS: note_start STG.* >= 1
// Many more blocks than have room at once, which do nothing but note when and where they started. On each SM: the time
// from the first block that took another's place to the last, over the number of them. The method is this project's
// own: no publication of it is known to it.

struct BlockStart {
    int64_t cycles;
    uint64_t sm;
};

static __global__ void note_start(BlockStart *starts)
{
    int64_t now = clock_cycles();
    if (threadIdx.x == 0)
        starts[blockIdx.x] = {now, sm_id()};
}

struct SmStarts {
    double interval, blocks;
};

// Of the median SM: mean cycles between two starts, the first `at_once` blocks left out, and how many blocks it ran.
static SmStarts median_sm(const std::vector<BlockStart> &starts, size_t at_once)
{
    std::map<uint64_t, std::vector<int64_t>> by_sm;
    for (const BlockStart &start : starts)
        by_sm[start.sm].push_back(start.cycles);
    Samples intervals, blocks;
    for (auto &[sm, cycles] : by_sm) {
        if (cycles.size() < at_once + 2)
            continue;
        std::sort(cycles.begin(), cycles.end());
        double span = static_cast<double>(cycles.back() - cycles[at_once]);
        intervals.push_back(span / static_cast<double>(cycles.size() - 1 - at_once));
        blocks.push_back(static_cast<double>(cycles.size()));
    }
    return {median(intervals), median(blocks)};
}

static void device_block_launch_cycles(const Plan &plan)
{
    DeviceArray<BlockStart> starts(static_cast<size_t>(sm_count()) * (plan.quick ? 128 : 512));
    for (int threads : {32, 64, 128, 256, 512, 1024}) {
        size_t at_once = static_cast<size_t>(resident_blocks(note_start, threads));
        Samples blocks;
        Samples intervals = sampled(plan, [&] {
            note_start<<<static_cast<unsigned>(starts.count()), threads>>>(starts.data());
            CHECK_KERNELS();
            SmStarts of_median = median_sm(starts.on_host(), at_once);
            blocks.push_back(of_median.blocks);
            return of_median.interval;
        });
        blocks.erase(blocks.begin(), blocks.begin() + plan.warm_ups);
        write_series(plan, "start_interval", {{"threads_per_block", threads}}, "cycles", intervals);
        write_series(plan, "blocks_per_sm", {{"threads_per_block", threads}}, "count", blocks);
    }
}
