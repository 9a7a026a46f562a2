/* HeCBench sph-cuda, kernel updatePositions (BSD-3-Clause). num_fluid_particles and dt are read before the loop. */
#include <math.h>
struct double3 {
    double x, y, z;
};
struct fluid_particle {
    double density;
    double pressure;
    struct double3 pos;
    struct double3 v;
    struct double3 v_half;
    struct double3 a;
};
struct param {
    double rest_density;
    double mass_particle;
    double spacing_particle;
    double smoothing_radius;
    double g;
    double time_step;
    double alpha;
    double surface_tension;
    double speed_sound;
    int number_particles;
    int number_fluid_particles;
    int number_boundary_particles;
    int number_steps;
    int steps_per_frame;
};
void updatePositions(struct fluid_particle *restrict fluid_particles, const struct param *restrict params)
{
    double dt = params->time_step;
    int num_fluid_particles = params->number_fluid_particles;
    for (int i = 0; i < num_fluid_particles; i++) {
      struct double3 v_half = fluid_particles[i].v_half;
      struct double3 v      = fluid_particles[i].v;
      struct double3 pos    = fluid_particles[i].pos;
      struct double3 a      = fluid_particles[i].a;

      v_half.x = v_half.x + dt * a.x;
      v_half.y = v_half.y + dt * a.y;
      v_half.z = v_half.z + dt * a.z;

      v.x = v_half.x + a.x * (dt / 2.0);
      v.y = v_half.y + a.y * (dt / 2.0);
      v.z = v_half.z + a.z * (dt / 2.0);

      pos.x = pos.x + dt * v_half.x;
      pos.y = pos.y + dt * v_half.y;
      pos.z = pos.z + dt * v_half.z;

      fluid_particles[i].v_half = v_half;
      fluid_particles[i].v      = v;
      fluid_particles[i].pos    = pos;
    }
}
