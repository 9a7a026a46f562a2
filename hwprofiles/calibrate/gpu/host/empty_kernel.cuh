// A kernel that does nothing: what its launch takes is all that there is to measure.
#pragma once
#include "../timing.cuh"

static __global__ void empty_kernel() {}

static void launch_empty()
{
    empty_kernel<<<1, 32>>>();
    CHECK(cudaGetLastError());
}
