/* HeCBench cfd-cuda, kernel compute_step_factor (BSD-3-Clause). sqrt of floats is sqrtf. */
#include <math.h>
#define GAMMA 1.4f
#define NDIM 3
#define VAR_DENSITY 0
#define VAR_MOMENTUM 1
#define VAR_DENSITY_ENERGY (VAR_MOMENTUM + NDIM)
typedef struct{
  float x;
  float y;
  float z;
} Float3;

static void compute_velocity(const float density, const Float3 momentum, Float3* velocity){
  velocity->x = momentum.x / density;
  velocity->y = momentum.y / density;
  velocity->z = momentum.z / density;
}

static float compute_speed_sqd(const Float3 velocity){
  return velocity.x*velocity.x + velocity.y*velocity.y + velocity.z*velocity.z;
}

static float compute_pressure(const float density, const float density_energy, const float speed_sqd){
  return ((float)(GAMMA) - (float)(1.0f))*(density_energy - (float)(0.5f)*density*speed_sqd);
}

static float compute_speed_of_sound(const float density, const float pressure){
  return sqrtf((float)(GAMMA)*pressure/density);
}
  void compute_step_factor(const int nelr, float* variables, float* areas, float* step_factors)
{
  for (int i = 0; i < nelr; i++) {
    float density = variables[i + VAR_DENSITY*nelr];
    Float3 momentum;
    momentum.x = variables[i + (VAR_MOMENTUM+0)*nelr];
    momentum.y = variables[i + (VAR_MOMENTUM+1)*nelr];
    momentum.z = variables[i + (VAR_MOMENTUM+2)*nelr];

    float density_energy = variables[i + VAR_DENSITY_ENERGY*nelr];

    Float3 velocity;       compute_velocity(density, momentum, &velocity);
    float speed_sqd      = compute_speed_sqd(velocity);

    float pressure       = compute_pressure(density, density_energy, speed_sqd);
    float speed_of_sound = compute_speed_of_sound(density, pressure);
    step_factors[i] = (float)(0.5f) / (sqrtf(areas[i]) * (sqrtf(speed_sqd) + speed_of_sound));
  }
}
