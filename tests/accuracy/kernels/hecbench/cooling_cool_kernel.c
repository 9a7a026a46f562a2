/* HeCBench cooling, kernel cool_kernel (BSD-3-Clause). heat_flag was 0, and is here. */
#include <math.h>

static double primordial_cool(double n, double T, int heat_flag);

void cool_kernel(const int num, const double n, const double *restrict T, double *restrict r, const int heat_flag)
{
    for (int i = 0; i < num; i++)
        r[i] = primordial_cool(n, T[i], 0);
}

static double primordial_cool(double n, double T, int heat_flag)
{
    double n_h, Y, y, g_ff, cool;
    double n_h0, n_hp, n_he0, n_hep, n_hepp, n_e, n_e_old;
    double alpha_hp, alpha_hep, alpha_d, alpha_hepp, gamma_eh0, gamma_ehe0, gamma_ehep;
    double le_h0, le_hep, li_h0, li_he0, li_hep, lr_hp, lr_hep, lr_hepp, ld_hep, l_ff;
    double gamma_lh0, gamma_lhe0, gamma_lhep, e_h0, e_he0, e_hep, H;
    int n_iter;
    double diff, tol;

    Y = 0.24;
    y = Y / (4 - 4 * Y);

    n_h = n;

    alpha_hp = (8.4e-11) * (1.0 / sqrt(T)) * pow((T / 1e3), (-0.2)) * (1.0 / (1.0 + pow((T / 1e6), (0.7))));
    alpha_hep = (1.5e-10) * (pow(T, (-0.6353)));
    alpha_d = (1.9e-3) * (pow(T, (-1.5))) * exp(-470000.0 / T) * (1.0 + 0.3 * exp(-94000.0 / T));
    alpha_hepp = (3.36e-10) * (1.0 / sqrt(T)) * pow((T / 1e3), (-0.2)) * (1.0 / (1.0 + pow((T / 1e6), (0.7))));
    gamma_eh0 = (5.85e-11) * sqrt(T) * exp(-157809.1 / T) * (1.0 / (1.0 + sqrt(T / 1e5)));
    gamma_ehe0 = (2.38e-11) * sqrt(T) * exp(-285335.4 / T) * (1.0 / (1.0 + sqrt(T / 1e5)));
    gamma_ehep = (5.68e-12) * sqrt(T) * exp(-631515.0 / T) * (1.0 / (1.0 + sqrt(T / 1e5)));
    gamma_lh0 = 3.19851e-13;
    gamma_lhe0 = 3.13029e-13;
    gamma_lhep = 2.00541e-14;
    e_h0 = 2.4796e-24;
    e_he0 = 6.86167e-24;
    e_hep = 6.21868e-25;

    n_e = n_h;
    n_iter = 20;
    diff = 1.0;
    tol = 1.0e-6;
    if (heat_flag) {
        for (int i = 0; i < n_iter; i++) {
            n_e_old = n_e;
            n_h0 = n_h * alpha_hp / (alpha_hp + gamma_eh0 + gamma_lh0 / n_e);
            n_hp = n_h - n_h0;
            n_hep = y * n_h / (1.0 + (alpha_hep + alpha_d) / (gamma_ehe0 + gamma_lhe0 / n_e) + (gamma_ehep + gamma_lhep / n_e) / alpha_hepp);
            n_he0 = n_hep * (alpha_hep + alpha_d) / (gamma_ehe0 + gamma_lhe0 / n_e);
            n_hepp = n_hep * (gamma_ehep + gamma_lhep / n_e) / alpha_hepp;
            n_e = n_hp + n_hep + 2 * n_hepp;
            diff = fabs(n_e_old - n_e);
            if (diff < tol) break;
        }
    }
    else {
        n_h0 = n_h * alpha_hp / (alpha_hp + gamma_eh0);
        n_hp = n_h - n_h0;
        n_hep = y * n_h / (1.0 + (alpha_hep + alpha_d) / (gamma_ehe0) + (gamma_ehep) / alpha_hepp);
        n_he0 = n_hep * (alpha_hep + alpha_d) / (gamma_ehe0);
        n_hepp = n_hep * (gamma_ehep) / alpha_hepp;
        n_e = n_hp + n_hep + 2 * n_hepp;
    }

    le_h0 = (7.50e-19) * exp(-118348.0 / T) * (1.0 / (1.0 + sqrt(T / 1e5))) * n_e * n_h0;
    le_hep = (5.54e-17) * pow(T, (-0.397)) * exp(-473638.0 / T) * (1.0 / (1.0 + sqrt(T / 1e5))) * n_e * n_hep;
    li_h0 = (1.27e-21) * sqrt(T) * exp(-157809.1 / T) * (1.0 / (1.0 + sqrt(T / 1e5))) * n_e * n_h0;
    li_he0 = (9.38e-22) * sqrt(T) * exp(-285335.4 / T) * (1.0 / (1.0 + sqrt(T / 1e5))) * n_e * n_he0;
    li_hep = (4.95e-22) * sqrt(T) * exp(-631515.0 / T) * (1.0 / (1.0 + sqrt(T / 1e5))) * n_e * n_hep;
    lr_hp = (8.70e-27) * sqrt(T) * pow((T / 1e3), (-0.2)) * (1.0 / (1.0 + pow((T / 1e6), (0.7)))) * n_e * n_hp;
    lr_hep = (1.55e-26) * pow(T, (0.3647)) * n_e * n_hep;
    lr_hepp = (3.48e-26) * sqrt(T) * pow((T / 1e3), (-0.2)) * (1.0 / (1.0 + pow((T / 1e6), (0.7)))) * n_e * n_hepp;
    ld_hep = (1.24e-13) * pow(T, (-1.5)) * exp(-470000.0 / T) * (1.0 + 0.3 * exp(-94000.0 / T)) * n_e * n_hep;
    g_ff = 1.1 + 0.34 * exp(-(5.5 - log(T)) * (5.5 - log(T)) / 3.0);
    l_ff = (1.42e-27) * g_ff * sqrt(T) * (n_hp + n_hep + 4 * n_hepp) * n_e;

    cool = le_h0 + le_hep + li_h0 + li_he0 + li_hep + lr_hp + lr_hep + lr_hepp + ld_hep + l_ff;

    H = 0.0;
    if (heat_flag) {
        H = n_h0 * e_h0 + n_he0 * e_he0 + n_hep * e_hep;
    }

    cool -= H;

    return cool;
}
