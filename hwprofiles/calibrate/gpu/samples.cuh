// What a measurement is told, and the lines of JSON that it writes.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <vector>

#include "check.cuh"

// `samples` are kept, the `warm_ups` before them are not.
struct Plan {
    const char *quantity;
    bool quick;
    int samples, warm_ups;
};

using Samples = std::vector<double>;

struct Coordinate {
    template <class Number> Coordinate(const char *its_name, Number its_value)
        : name(its_name), value(static_cast<double>(its_value))
    {
    }
    const char *name;
    double value;
};

using Coordinates = std::initializer_list<Coordinate>;

// One line: every sample at one point `x` of a series, nothing where there is none. JSON has no infinity: a clock that
// stood still is an error.
static void write_series(const Plan &plan, const char *series, Coordinates x, const char *unit, const Samples &samples)
{
    if (samples.empty())
        return;
    for (double sample : samples)
        if (!std::isfinite(sample))
            FAIL("a sample is not finite: a clock stood still");
    printf("{\"quantity\":\"%s\",\"series\":\"%s\",\"x\":{", plan.quantity, series);
    const char *comma = "";
    for (const Coordinate &at : x) {
        printf("%s\"%s\":%.15g", comma, at.name, at.value);
        comma = ",";
    }
    printf("},\"unit\":\"%s\",\"samples\":[", unit);
    comma = "";
    for (double sample : samples) {
        printf("%s%.9g", comma, sample);
        comma = ",";
    }
    printf("]}\n");
    fflush(stdout);
}

// Text has no unit and no samples. Quotes, backslashes and control characters, which no name has, become blanks.
static void write_text(const Plan &plan, const char *series, const char *text)
{
    printf("{\"quantity\":\"%s\",\"series\":\"%s\",\"x\":{},\"unit\":\"-\",\"text\":\"", plan.quantity, series);
    for (; *text != '\0'; text++)
        putchar(*text == '"' || *text == '\\' || static_cast<unsigned char>(*text) < ' ' ? ' ' : *text);
    printf("\"}\n");
    fflush(stdout);
}

static double median(Samples of)
{
    if (of.empty())
        FAIL("no SM gave a sample");
    std::sort(of.begin(), of.end());
    return (of[(of.size() - 1) / 2] + of[of.size() / 2]) / 2;
}

// Samples of what `once` gives, after the warm-up.
template <class Once> static Samples sampled(const Plan &plan, Once once)
{
    Samples samples;
    for (int i = 0; i < plan.warm_ups; i++)
        once();
    for (int i = 0; i < plan.samples; i++)
        samples.push_back(once());
    return samples;
}
