/* All-pairs gravity on an array of structures. */
#include <math.h>

struct body {
    float x, y, z, mass;
    float vx, vy, vz;
};

void accelerate(int bodies, struct body *p, float dt)
{
    for (int i = 0; i < bodies; i++) {
        float ax = 0, ay = 0, az = 0;
        for (int j = 0; j < bodies; j++) {
            float dx = p[j].x - p[i].x, dy = p[j].y - p[i].y, dz = p[j].z - p[i].z;
            float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + 1e-9f);
            float f = p[j].mass * inverse * inverse * inverse;
            ax += f * dx;
            ay += f * dy;
            az += f * dz;
        }
        p[i].vx += dt * ax;
        p[i].vy += dt * ay;
        p[i].vz += dt * az;
    }
}

void move(int bodies, struct body *p, float dt)
{
    for (int i = 0; i < bodies; i++) {
        p[i].x += dt * p[i].vx;
        p[i].y += dt * p[i].vy;
        p[i].z += dt * p[i].vz;
    }
}
