/* HeCBench ne-cuda, kernel ne (BSD-3-Clause). Operators of float3 are functions; rsqrtf is 1 / sqrtf. */
#include <math.h>

typedef struct {
    float x, y, z;
} float3;

typedef struct {
    float x, y, z, w;
} float4;

static float3 scale(const float3 a, const float b)
{
    return (float3){a.x * b, a.y * b, a.z * b};
}

static float3 minus(const float3 a, const float3 b)
{
    return (float3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static float dot(const float3 a, const float3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static float3 normalize(const float3 v)
{
    float invLen = 1.f / sqrtf(dot(v, v));
    return scale(v, invLen);
}

static float3 cross(const float3 a, const float3 b)
{
    return (float3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static float length(const float3 v)
{
    return sqrtf(dot(v, v));
}

static float4 normalEstimate(const float3 *points, int idx, int width, int height)
{
    float3 query_pt = points[idx];
    if (isnan(query_pt.z))
        return (float4){0.f, 0.f, 0.f, 0.f};

    int xIdx = idx % width;
    int yIdx = idx / width;

    _Bool west_valid = (xIdx > 1) && !isnan(points[idx - 1].z) && fabsf(points[idx - 1].z - query_pt.z) < 200.f;
    _Bool east_valid = (xIdx < width - 1) && !isnan(points[idx + 1].z) && fabsf(points[idx + 1].z - query_pt.z) < 200.f;
    _Bool north_valid = (yIdx > 1) && !isnan(points[idx - width].z) && fabsf(points[idx - width].z - query_pt.z) < 200.f;
    _Bool south_valid = (yIdx < height - 1) && !isnan(points[idx + width].z) && fabsf(points[idx + width].z - query_pt.z) < 200.f;

    float3 horiz, vert;
    if (west_valid & east_valid)
        horiz = minus(points[idx + 1], points[idx - 1]);
    if (west_valid & !east_valid)
        horiz = minus(points[idx], points[idx - 1]);
    if (!west_valid & east_valid)
        horiz = minus(points[idx + 1], points[idx]);
    if (!west_valid & !east_valid)
        return (float4){0.f, 0.f, 0.f, 1.f};

    if (south_valid & north_valid)
        vert = minus(points[idx - width], points[idx + width]);
    if (south_valid & !north_valid)
        vert = minus(points[idx], points[idx + width]);
    if (!south_valid & north_valid)
        vert = minus(points[idx - width], points[idx]);
    if (!south_valid & !north_valid)
        return (float4){0.f, 0.f, 0.f, 1.f};

    float3 normal = cross(horiz, vert);

    float curvature = length(normal);
    curvature = fabsf(horiz.z) > 0.04f || fabsf(vert.z) > 0.04f || !west_valid || !east_valid || !north_valid || !south_valid;

    float3 mc = normalize(normal);
    if (dot(query_pt, mc) > 0.f)
        mc = scale(mc, -1.f);
    return (float4){mc.x, mc.y, mc.z, curvature};
}

void ne(const float3 *restrict points, float4 *restrict normal_points, const int width, const int height, const int numPts)
{
    for (int idx = 0; idx < numPts; idx++)
        normal_points[idx] = normalEstimate(points, idx, width, height);
}
