/* All-pairs gravity on an array of structures. */
#include <math.h>
// warplens: bodies = 16384

struct body {
    float x, y, z, mass;
    float vx, vy, vz;
};

void accelerate(int bodies, const struct body *restrict old, struct body *restrict p, float dt)
{
    for (int i = 0; i < bodies; i++) {
        float ax = 0, ay = 0, az = 0;
        for (int j = 0; j < bodies; j++) {
            float dx = old[j].x - old[i].x, dy = old[j].y - old[i].y, dz = old[j].z - old[i].z;
            float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + 1e-9f);
            float f = old[j].mass * inverse * inverse * inverse;
            ax += f * dx;
            ay += f * dy;
            az += f * dz;
        }
        p[i].vx = old[i].vx + dt * ax;
        p[i].vy = old[i].vy + dt * ay;
        p[i].vz = old[i].vz + dt * az;
    }
}
