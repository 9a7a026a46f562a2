// Quantity: device.kernel_time_us
// Keys:
// SASS: empty_kernel EXIT >= 1
// From the event before a kernel that does nothing to the event after it, over the number of its blocks: what starting
// and ending a grid takes on the GPU, whatever its threads do. A kernel that waits goes in front, so that the GPU has
// all of it queued and the launch by the host is not in the time. `events` is the same without a kernel: what the two
// events themselves take. A curve to look at: no profile has a key for it. The method is this project's own.

static void device_kernel_time_us(const Plan &plan)
{
    enum { THREADS = 256, GATE_NS = 100'000 };
    EventTimer timer;
    DeviceArray<float> results(1);
    const auto gate = [&] { spin<<<1, 1>>>(GATE_NS, 0.25f, results.data()); };
    write_series(plan, "events", {}, "s", sampled(plan, [&] { return timer.seconds(gate, [] {}); }));
    for (unsigned per_sm : {0u, 1u, 8u, 64u, 512u}) {
        unsigned blocks = std::max(1u, per_sm * static_cast<unsigned>(sm_count()));
        Samples seconds = sampled(plan, [&] { return timer.seconds(gate, [&] { empty_kernel<<<blocks, THREADS>>>(); }); });
        write_series(plan, "kernel_time", {{"blocks", blocks}}, "s", seconds);
    }
}
