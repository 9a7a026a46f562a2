/* HeCBench sph-cuda, kernel updatePressures (BSD-3-Clause). num_fluid_particles is read before the loop. */
#include <math.h>
#define PI 3.14159265358979323846
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
static double del_W(struct double3 p_pos, struct double3 q_pos, double h)
{
    double r = sqrt((p_pos.x-q_pos.x)*(p_pos.x-q_pos.x)
                  + (p_pos.y-q_pos.y)*(p_pos.y-q_pos.y)
                  + (p_pos.z-q_pos.z)*(p_pos.z-q_pos.z));
    double C = 1.0/(PI * h*h*h);
    double u = r/h;
    double val = 0.0;
    if(u >= 2.0)
        return val;
    else if(u < 1.0 )
        val = -1.0/(h*h) * (3.0 - 9.0/4.0*u);
    else if(u >= 1.0 && u < 2.0)
        val = -3.0/(4.0*h*r) * pow(2.0-u,2.0);

    val *= C;
    return val;
}

static double computeDensity(struct double3 p_pos, struct double3 p_v, struct double3 q_pos, struct double3 q_v,
                      const struct param *params)
{
    double v_x = (p_v.x - q_v.x);
    double v_y = (p_v.y - q_v.y);
    double v_z = (p_v.z - q_v.z);

    double density = params->mass_particle * del_W(p_pos,q_pos,
                                                   params->smoothing_radius);
    double density_x = density * v_x * (p_pos.x - q_pos.x);
    double density_y = density * v_y * (p_pos.y - q_pos.y);
    double density_z = density * v_z * (p_pos.z - q_pos.z);

    density = (density_x + density_y + density_z)*params->time_step;

    return density;
}

static double computePressure(double p_density, const struct param *params)
{
    double gam = 7.0;
    double B = params->rest_density * params->speed_sound*params->speed_sound / gam;
    double pressure =  B * (pow((p_density/params->rest_density),gam) - 1.0);

    return pressure;
}

void updatePressures(struct fluid_particle *restrict fluid_particles, const struct param *restrict params)
{
    int num_fluid_particles = params->number_fluid_particles;
    for (int i = 0; i < num_fluid_particles; i++) {
      struct double3 p_pos = fluid_particles[i].pos;
      struct double3 p_v   = fluid_particles[i].v;
      double density = fluid_particles[i].density;

      for(int j=0; j< num_fluid_particles; j++) {
          struct double3 q_pos = fluid_particles[j].pos;
          struct double3 q_v   = fluid_particles[j].v;
          density += computeDensity(p_pos,p_v,q_pos,q_v, params);
    }
      fluid_particles[i].density = density;
      fluid_particles[i].pressure = computePressure(density, params);
    }
}
