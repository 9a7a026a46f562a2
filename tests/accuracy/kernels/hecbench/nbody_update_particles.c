/* HeCBench nbody, kernel update_particles (BSD-3-Clause). */
struct Particle {
    float pos[3];
    float vel[3];
    float acc[3];
    float mass;
};

void update_particles(struct Particle *restrict p, float *restrict e, const int n, float dt)
{
    for (int i = 0; i < n; i++) {
        struct Particle pi = p[i];

        pi.vel[0] += pi.acc[0] * dt;
        pi.vel[1] += pi.acc[1] * dt;
        pi.vel[2] += pi.acc[2] * dt;

        pi.pos[0] += pi.vel[0] * dt;
        pi.pos[1] += pi.vel[1] * dt;
        pi.pos[2] += pi.vel[2] * dt;

        pi.acc[0] = 0.f;
        pi.acc[1] = 0.f;
        pi.acc[2] = 0.f;

        e[i] = pi.mass * (pi.vel[0] * pi.vel[0] + pi.vel[1] * pi.vel[1] + pi.vel[2] * pi.vel[2]);

        p[i] = pi;
    }
}
