/* HeCBench atan2-cuda, kernel compute_s (BSD-3-Clause). Templates are resolved to their degrees. */
#include <math.h>

static float approx_atan2s_P3(float x)
{
  float z = x * x;
  return x * ((-10142.439453125f) + z * 2002.0908203125f);
}

static float approx_atan2s_P5(float x)
{
  float z = x * x;
  return x * ((-10381.9609375f) + z * ((3011.1513671875f) + z * (-827.538330078125f)));
}

static float approx_atan2s_P7(float x)
{
  float z = x * x;
  return x * ((-10422.177734375f) + z * (3349.97412109375f + z * ((-1525.589599609375f) + z * 406.64190673828125f)));
}

static float approx_atan2s_P9(float x)
{
  float z = x * x;
  return x * ((-10428.984375f) + z * (3445.20654296875f + z * ((-1879.137939453125f) +
                                                               z * (888.22314453125f + z * (-217.42669677734375f)))));
}

static short unsafe_atan2s3(float y, float x)
{
    const int maxshort = 32767 + 1;
    const short pi4 = (short)(maxshort / 4);
    const short pi34 = (short)(3 * maxshort / 4);

    float r = (fabsf(x) - fabsf(y)) / (fabsf(x) + fabsf(y));
    if (x < 0)
        r = -r;

    short angle = (x >= 0) ? pi4 : pi34;
    angle += (short)(approx_atan2s_P3(r));

    return (y < 0) ? -angle : angle;
}

static short unsafe_atan2s5(float y, float x)
{
    const int maxshort = 32767 + 1;
    const short pi4 = (short)(maxshort / 4);
    const short pi34 = (short)(3 * maxshort / 4);

    float r = (fabsf(x) - fabsf(y)) / (fabsf(x) + fabsf(y));
    if (x < 0)
        r = -r;

    short angle = (x >= 0) ? pi4 : pi34;
    angle += (short)(approx_atan2s_P5(r));

    return (y < 0) ? -angle : angle;
}

static short unsafe_atan2s7(float y, float x)
{
    const int maxshort = 32767 + 1;
    const short pi4 = (short)(maxshort / 4);
    const short pi34 = (short)(3 * maxshort / 4);

    float r = (fabsf(x) - fabsf(y)) / (fabsf(x) + fabsf(y));
    if (x < 0)
        r = -r;

    short angle = (x >= 0) ? pi4 : pi34;
    angle += (short)(approx_atan2s_P7(r));

    return (y < 0) ? -angle : angle;
}

static short unsafe_atan2s9(float y, float x)
{
    const int maxshort = 32767 + 1;
    const short pi4 = (short)(maxshort / 4);
    const short pi34 = (short)(3 * maxshort / 4);

    float r = (fabsf(x) - fabsf(y)) / (fabsf(x) + fabsf(y));
    if (x < 0)
        r = -r;

    short angle = (x >= 0) ? pi4 : pi34;
    angle += (short)(approx_atan2s_P9(r));

    return (y < 0) ? -angle : angle;
}

void compute_s(const int n, const float *x, const float *y, short *r)
{
    for (int i = 0; i < n; i++) {
        const float vy = y[i];
        const float vx = x[i];
        r[i] = unsafe_atan2s3(vy, vx) + unsafe_atan2s5(vy, vx) + unsafe_atan2s7(vy, vx) + unsafe_atan2s9(vy, vx);
    }
}
