/* HeCBench rodrigues-cuda, kernel rotate (BSD-3-Clause). sincosf as sinf and cosf. */
#include <math.h>
struct float3 {
    float x, y, z;
};

void rotate(const int n, const float angle, const struct float3 w, struct float3 *d)
{
    for (int i = 0; i < n; i++) {
        float s, c;
        s = sinf(angle);
        c = cosf(angle);

        const struct float3 p = d[i];
        const float mc = 1.f - c;

        float m1 = c + (w.x) * (w.x) * (mc);
        float m2 = (w.z) * s + (w.x) * (w.y) * (mc);
        float m3 = -(w.y) * s + (w.x) * (w.z) * (mc);

        float m4 = -(w.z) * s + (w.x) * (w.y) * (mc);
        float m5 = c + (w.y) * (w.y) * (mc);
        float m6 = (w.x) * s + (w.y) * (w.z) * (mc);

        float m7 = (w.y) * s + (w.x) * (w.z) * (mc);
        float m8 = -(w.x) * s + (w.y) * (w.z) * (mc);
        float m9 = c + (w.z) * (w.z) * (mc);

        float ox = p.x * m1 + p.y * m2 + p.z * m3;
        float oy = p.x * m4 + p.y * m5 + p.z * m6;
        float oz = p.x * m7 + p.y * m8 + p.z * m9;
        d[i].x = ox;
        d[i].y = oy;
        d[i].z = oz;
    }
}
