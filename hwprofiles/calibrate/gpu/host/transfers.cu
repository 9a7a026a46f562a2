// Quantity: host.transfers
// Keys: host.h2d_bandwidth_gb_per_s, host.d2h_bandwidth_gb_per_s, host.h2d_pageable_bandwidth_gb_per_s, host.d2h_pageable_bandwidth_gb_per_s, host.latency_us
// One cudaMemcpy and the end of it, by the host's clock, over the size: latency + size / bandwidth. Pinned memory, and
// pageable memory that the program has written. Method: NVIDIA's bandwidthTest sample.

enum { LEAST_TRANSFER_BYTES = 1 << 10 };

static void write_transfers(const Plan &plan, const char *series, void *to, const void *from, cudaMemcpyKind kind,
                            size_t most_bytes)
{
    for (size_t bytes = LEAST_TRANSFER_BYTES; bytes <= most_bytes; bytes *= 4) {
        Samples seconds = sampled(plan, [&] {
            double start = host_s();
            CHECK(cudaMemcpy(to, from, bytes, kind));
            CHECK(cudaDeviceSynchronize());
            return host_s() - start;
        });
        write_series(plan, series, {{"size_bytes", bytes}}, "s", seconds);
    }
}

static void host_transfers(const Plan &plan)
{
    size_t most = std::min(size_t{plan.quick ? 64u : 1024u} << 20, power_of_two_within(free_bytes() / 4));
    void *pinned = nullptr, *pageable = nullptr;
    // A machine may have less memory to spare than the GPU, and a limit on what is pinned.
    while (cudaMallocHost(&pinned, most) != cudaSuccess || (pageable = malloc(most)) == nullptr) {
        cudaGetLastError();
        if (pinned != nullptr)
            CHECK(cudaFreeHost(pinned));
        pinned = nullptr;
        most /= 4;
        if (most < LEAST_TRANSFER_BYTES)
            FAIL("the host has no memory to copy from");
    }
    DeviceArray<char> device(most);
    memset(pinned, 1, most);
    memset(pageable, 1, most);
    write_transfers(plan, "h2d_pinned", device.data(), pinned, cudaMemcpyHostToDevice, most);
    write_transfers(plan, "h2d_pageable", device.data(), pageable, cudaMemcpyHostToDevice, most);
    write_transfers(plan, "d2h_pinned", pinned, device.data(), cudaMemcpyDeviceToHost, most);
    write_transfers(plan, "d2h_pageable", pageable, device.data(), cudaMemcpyDeviceToHost, most);
    CHECK(cudaFreeHost(pinned));
    free(pageable);
}
