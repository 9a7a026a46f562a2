/* HeCBench nbody, kernel accelerate_particles (BSD-3-Clause). The particle is not copied whole: the members that keep their values
   are not stored back. */
#include <math.h>

struct Particle {
    float pos[3];
    float vel[3];
    float acc[3];
    float mass;
};

void accelerate_particles(struct Particle *p, const int n, const float kSofteningSquared, const float kG)
{
    for (int i = 0; i < n; i++) {
        float pi0 = p[i].pos[0];
        float pi1 = p[i].pos[1];
        float pi2 = p[i].pos[2];
        float acc0 = p[i].acc[0];
        float acc1 = p[i].acc[1];
        float acc2 = p[i].acc[2];
        for (int j = 0; j < n; j++) {
            float dx, dy, dz;
            float distance_sqr = 0.0f;
            float distance_inv = 0.0f;

            dx = p[j].pos[0] - pi0;
            dy = p[j].pos[1] - pi1;
            dz = p[j].pos[2] - pi2;

            distance_sqr = dx * dx + dy * dy + dz * dz + kSofteningSquared;
            distance_inv = 1.0f / sqrtf(distance_sqr);

            acc0 += dx * kG * p[j].mass * distance_inv * distance_inv * distance_inv;
            acc1 += dy * kG * p[j].mass * distance_inv * distance_inv * distance_inv;
            acc2 += dz * kG * p[j].mass * distance_inv * distance_inv * distance_inv;
        }
        p[i].acc[0] = acc0;
        p[i].acc[1] = acc1;
        p[i].acc[2] = acc2;
    }
}
