/* HeCBench aop, kernel generate_paths_kernel of a put (BSD-3-Clause). */
#include <math.h>

struct PayoffPut { double m_K; };

static double payoff_of(struct PayoffPut payoff, double S)
{
    return fmax(payoff.m_K - S, 0.0);
}

void generate_paths_kernel(int num_timesteps, int num_paths, struct PayoffPut payoff, double dt, double S0, double r,
                           double sigma, const double *restrict samples, double *restrict paths)
{
    for (int path = 0; path < num_paths; path++) {
        const double r_min_half_sigma_sq_dt = (r - 0.5*sigma*sigma)*dt;
        const double sigma_sqrt_dt = sigma*sqrt(dt);

        double S = S0;

        int offset = path;

        for (int timestep = 0; timestep < num_timesteps-1; ++timestep, offset += num_paths)
        {
            S = S * exp(r_min_half_sigma_sq_dt + sigma_sqrt_dt*samples[offset]);
            paths[offset] = S;
        }

        S = S * exp(r_min_half_sigma_sq_dt + sigma_sqrt_dt*samples[offset]);

        paths[offset] = payoff_of(payoff, S);
    }
}
