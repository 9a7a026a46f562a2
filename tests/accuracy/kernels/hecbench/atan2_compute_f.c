/* HeCBench atan2-cuda, kernel compute_f (BSD-3-Clause). Templates are resolved to their degrees. */
#include <math.h>

static float approx_atan2f_P3(float x)
{
  return x * ((float)-0xf.8eed2p-4 + x * x * (float)0x3.1238p-4);
}

static float approx_atan2f_P5(float x)
{
  float z = x * x;
  return x * ((float)-0xf.ecfc8p-4 + z * ((float)0x4.9e79dp-4 + z * (float)-0x1.44f924p-4));
}

static float approx_atan2f_P7(float x)
{
  float z = x * x;
  return x * ((float)-0xf.fcc7ap-4 + z * ((float)0x5.23886p-4 + z * ((float)-0x2.571968p-4 + z * (float)0x9.fb05p-8)));
}

static float approx_atan2f_P9(float x)
{
  float z = x * x;
  return x * ((float)-0xf.ff73ep-4 +
              z * ((float)0x5.48ee1p-4 +
                   z * ((float)-0x2.e1efe8p-4 + z * ((float)0x1.5cce54p-4 + z * (float)-0x5.56245p-8))));
}

static float approx_atan2f_P11(float x)
{
  float z = x * x;
  return x * ((float)-0xf.ffe82p-4 +
              z * ((float)0x5.526c8p-4 +
                   z * ((float)-0x3.18bea8p-4 +
                        z * ((float)0x1.dce3bcp-4 + z * ((float)-0xd.7a64ap-8 + z * (float)0x3.000eap-8)))));
}

static float approx_atan2f_P13(float x)
{
  float z = x * x;
  return x * ((float)-0xf.fffbep-4 +
              z * ((float)0x5.54adp-4 +
                   z * ((float)-0x3.2b4df8p-4 +
                        z * ((float)0x2.1df79p-4 +
                             z * ((float)-0x1.46081p-4 + z * ((float)0x8.99028p-8 + z * (float)-0x1.be0bc4p-8))))));
}

static float approx_atan2f_P15(float x)
{
  float z = x * x;
  return x * ((float)-0xf.ffff4p-4 +
              z * ((float)(0x5.552f9p-4 + z * ((float)-0x3.30f728p-4 +
                                             z * ((float)0x2.39826p-4 +
                                                  z * ((float)-0x1.8a880cp-4 +
                                                       z * ((float)0xe.484d6p-8 +
                                                            z * ((float)-0x5.93d5p-8 + z * (float)0x1.0875dcp-8))))))));
}

static float safe_atan2f3(float y, float x0)
{
    const float pi4f = 3.1415926535897932384626434 / 4;
    const float pi34f = 3.1415926535897932384626434 * 3 / 4;
    float x = ((y == 0.f) & (x0 == 0.f)) ? 0.2f : x0;

    float r = (fabsf(x) - fabsf(y)) / (fabsf(x) + fabsf(y));
    if (x < 0)
        r = -r;

    float angle = (x >= 0) ? pi4f : pi34f;
    angle += approx_atan2f_P3(r);

    return ((y < 0)) ? -angle : angle;
}

static float safe_atan2f5(float y, float x0)
{
    const float pi4f = 3.1415926535897932384626434 / 4;
    const float pi34f = 3.1415926535897932384626434 * 3 / 4;
    float x = ((y == 0.f) & (x0 == 0.f)) ? 0.2f : x0;

    float r = (fabsf(x) - fabsf(y)) / (fabsf(x) + fabsf(y));
    if (x < 0)
        r = -r;

    float angle = (x >= 0) ? pi4f : pi34f;
    angle += approx_atan2f_P5(r);

    return ((y < 0)) ? -angle : angle;
}

static float safe_atan2f7(float y, float x0)
{
    const float pi4f = 3.1415926535897932384626434 / 4;
    const float pi34f = 3.1415926535897932384626434 * 3 / 4;
    float x = ((y == 0.f) & (x0 == 0.f)) ? 0.2f : x0;

    float r = (fabsf(x) - fabsf(y)) / (fabsf(x) + fabsf(y));
    if (x < 0)
        r = -r;

    float angle = (x >= 0) ? pi4f : pi34f;
    angle += approx_atan2f_P7(r);

    return ((y < 0)) ? -angle : angle;
}

static float safe_atan2f9(float y, float x0)
{
    const float pi4f = 3.1415926535897932384626434 / 4;
    const float pi34f = 3.1415926535897932384626434 * 3 / 4;
    float x = ((y == 0.f) & (x0 == 0.f)) ? 0.2f : x0;

    float r = (fabsf(x) - fabsf(y)) / (fabsf(x) + fabsf(y));
    if (x < 0)
        r = -r;

    float angle = (x >= 0) ? pi4f : pi34f;
    angle += approx_atan2f_P9(r);

    return ((y < 0)) ? -angle : angle;
}

static float safe_atan2f11(float y, float x0)
{
    const float pi4f = 3.1415926535897932384626434 / 4;
    const float pi34f = 3.1415926535897932384626434 * 3 / 4;
    float x = ((y == 0.f) & (x0 == 0.f)) ? 0.2f : x0;

    float r = (fabsf(x) - fabsf(y)) / (fabsf(x) + fabsf(y));
    if (x < 0)
        r = -r;

    float angle = (x >= 0) ? pi4f : pi34f;
    angle += approx_atan2f_P11(r);

    return ((y < 0)) ? -angle : angle;
}

static float safe_atan2f13(float y, float x0)
{
    const float pi4f = 3.1415926535897932384626434 / 4;
    const float pi34f = 3.1415926535897932384626434 * 3 / 4;
    float x = ((y == 0.f) & (x0 == 0.f)) ? 0.2f : x0;

    float r = (fabsf(x) - fabsf(y)) / (fabsf(x) + fabsf(y));
    if (x < 0)
        r = -r;

    float angle = (x >= 0) ? pi4f : pi34f;
    angle += approx_atan2f_P13(r);

    return ((y < 0)) ? -angle : angle;
}

static float safe_atan2f15(float y, float x0)
{
    const float pi4f = 3.1415926535897932384626434 / 4;
    const float pi34f = 3.1415926535897932384626434 * 3 / 4;
    float x = ((y == 0.f) & (x0 == 0.f)) ? 0.2f : x0;

    float r = (fabsf(x) - fabsf(y)) / (fabsf(x) + fabsf(y));
    if (x < 0)
        r = -r;

    float angle = (x >= 0) ? pi4f : pi34f;
    angle += approx_atan2f_P15(r);

    return ((y < 0)) ? -angle : angle;
}

void compute_f(const int n, const float *x, const float *y, float *r)
{
    for (int i = 0; i < n; i++) {
        const float vy = y[i];
        const float vx = x[i];
        r[i] = safe_atan2f3(vy, vx) + safe_atan2f5(vy, vx) + safe_atan2f7(vy, vx) + safe_atan2f9(vy, vx) + safe_atan2f11(vy, vx)
               + safe_atan2f13(vy, vx) + safe_atan2f15(vy, vx);
    }
}
