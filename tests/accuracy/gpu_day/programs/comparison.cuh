// The variants of one program, each timed, held against the reference and written as a line of JSON.
//
// Built by nvcc -O3 -std=c++17 -arch=sm_90 -I hwprofiles/calibrate/gpu NAME.cu -o NAME -ldl, run by ./NAME or with
// sizes, ./NAME n=1024. Exit codes: 0 done, 1 a CUDA call failed, 2 a wrong command line, 4 no GPU. That a variant's
// result differs from the reference is said in its line and is no failure of the program.
#pragma once
#include <cstdio>
#include <string>
#include <vector>

#include "calibration.cuh"
#include "command_line.h"
#include "reference.cuh"
#include "timed_runs.cuh"

// Where all variants leave the same result, and what it should be. `data_bytes` are all arrays that the variants have
// in common: what they read and what they leave.
template <class Value> struct Result {
    const DeviceArray<Value> &outputs;
    const Reference &reference;
    size_t data_bytes;

    // So that what a variant doesn't write is found: as floats this is no number.
    void spoil() const { outputs.fill(0xff); }
    Agreement agreement() const { return reference.agreement(outputs); }
};

static inline unsigned blocks_for(size_t count, unsigned per_block)
{
    return static_cast<unsigned>((count + per_block - 1) / per_block);
}

// As many blocks as the SMs have threads for.
static inline unsigned blocks_that_fill(unsigned block_threads)
{
    return static_cast<unsigned>(sm_count()) * (32 * static_cast<unsigned>(max_warps_per_sm()) / block_threads);
}

class Comparison {
  public:
    // Finds the GPU, so it stands before all arrays.
    explicit Comparison(const CommandLine &line) : line_(line), runs_((find_gpu(), TimedRuns{})) {}

    // A hand-written variant; `launch` is given the grid and the block of its main kernel.
    template <class Outputs, class Launch>
    void kernel(const char *variant, const Outputs &result, dim3 grid, dim3 block, Launch launch)
    {
        char shape[160];
        snprintf(shape, sizeof shape, "\"block\":[%u,%u,%u],\"grid\":[%u,%u,%u]", block.x, block.y, block.z, grid.x,
                 grid.y, grid.z);
        measure(variant, shape, result, [&] { launch(grid, block); });
    }

    // A library's; where that is missing, the reason is the variant's line.
    template <class Outputs, class Launch>
    void by_library(const char *variant, const std::string &missing, const Outputs &result, Launch launch)
    {
        if (missing.empty()) {
            measure(variant, "\"block\":null,\"grid\":null", result, launch);
        } else {
            write_start(variant);
            printf("\"missing\":\"%s\"}\n", json_text(missing).c_str());
            fflush(stdout);
        }
    }

    int done() const
    {
        printf("{\"program\":\"%s\",\"done\":true}\n", line_.program());
        return fflush(stdout) == 0 ? DONE : CUDA_FAILED;
    }

  private:
    const CommandLine &line_;
    TimedRuns runs_;
    bool are_clocks_up_ = false;

    static void find_gpu()
    {
        int count = 0;
        CHECK(cudaGetDeviceCount(&count));
        CHECK(count > 0 ? cudaSetDevice(0) : cudaErrorNoDevice);
    }

    template <class Outputs, class Launch>
    void measure(const char *variant, const char *shape, const Outputs &result, Launch launch)
    {
        // Not before: while the host worked on the reference, the GPU had nothing to do.
        if (!are_clocks_up_)
            raise_clocks();
        are_clocks_up_ = true;
        result.spoil();
        std::vector<double> times_s = runs_.seconds(launch);
        Agreement agreement = result.agreement();
        write_start(variant);
        printf("%s,\"data_bytes\":%zu,\"times_s\":[", shape, result.data_bytes);
        for (size_t i = 0; i < times_s.size(); i++)
            printf("%s%.9g", i > 0 ? "," : "", times_s[i]);
        printf("],\"check\":{\"compared\":%zu,\"differing\":%zu,", agreement.compared, agreement.differing);
        printf("\"largest_relative_error\":%.3g,\"difference\":\"%s\"}}\n", agreement.largest_relative_error,
               json_text(agreement.difference).c_str());
        fflush(stdout);
    }

    void write_start(const char *variant) const
    {
        printf("{\"program\":\"%s\",\"variant\":\"%s\",\"sizes\":%s,", line_.program(), variant, line_.json().c_str());
    }

    // Quotes, backslashes and control characters become blanks: they say nothing that is missed.
    static std::string json_text(std::string text)
    {
        for (char &c : text)
            if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ')
                c = ' ';
        return text;
    }
};
