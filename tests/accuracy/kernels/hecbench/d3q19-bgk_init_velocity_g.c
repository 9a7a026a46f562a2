/* HeCBench d3q19-bgk-cuda, kernel init_velocity_g (BSD-3-Clause). finl is declared inside the loops. */
#define IDX(x, y, z, nx, ny, nz) ((x + (nx)) % (nx) + ((y + (ny)) % (ny) + ((z + (nz)) % (nz)) * (ny)) * (nx))
#define IDF(x, y, z, f, nx, ny, nz) ((x + (nx)) % (nx) + ((y + (ny)) % (ny) + ((z + (nz)) % (nz)) * (ny)) * (nx)) + (f) * (nx) * (ny) * (nz)
#define nb_directions 19

typedef char flag_type;
typedef float u_type;

typedef struct {
    int x0, nx, y0, ny, z0, nz;
} BoxCU;

typedef struct {
    u_type *u0;
    u_type *u1;
    u_type *u2;
} lbm_u;

typedef struct {
    lbm_u u;
    lbm_u u_star;
    lbm_u g;
    double *r;
    double *f0;
    double *f1;
    flag_type *boundary_flag;
    int *boundary_values;
    flag_type *boundary_dirs;
} lbm_vars;

#define EQUILIBRIUM(rho, t, cu, usqr) rho*(t)*(1 + (cu) + ((cu)*(cu))/2. - (usqr))
static void d_equilibrium(double* fin, double rho, const float u0, const float u1, const float u2)
{
  double usqr = 3*(u0*u0 + u1*u1 + u2*u2)/2.;
  double cu;
  rho /= 36;
  fin[0 ] = EQUILIBRIUM(rho, 12, 0 , usqr);
  fin[1 ] = EQUILIBRIUM(rho, 2,3*( - u0          ), usqr);
  fin[10] = fin[1] - rho *12*(-u0);
  fin[2 ] = EQUILIBRIUM(rho, 2,3*(      - u1     ), usqr);
  fin[11] = fin[2] - rho*12*(-u1);
  fin[3 ] = EQUILIBRIUM(rho, 2,3*(           - u2), usqr);
  fin[12] = fin[3] - rho*12*(-u2);
  cu = 3 * (-u0 - u1);
  fin[4 ] = EQUILIBRIUM(rho, 1, cu, usqr);
  fin[13] = fin[4] - rho*2*cu;
  cu = 3 * (-u0 + u1);
  fin[5 ] = EQUILIBRIUM(rho, 1,cu, usqr);
  fin[14] = fin[5] -  rho*2*cu;
  cu = 3 * (-u0 - u2);
  fin[6 ] = EQUILIBRIUM(rho, 1,cu, usqr);
  fin[15] = fin[6] -  rho*2*cu;
  cu = 3*(-u0 + u2);
  fin[7 ] = EQUILIBRIUM(rho, 1,cu, usqr);
  fin[16] = fin[7] - rho*2*cu;
  cu = 3*(-u1 - u2);
  fin[8 ] = EQUILIBRIUM(rho, 1,cu, usqr);
  fin[17] = fin[8] - rho*2*cu;
  cu = 3*(-u1 + u2);
  fin[9 ] = EQUILIBRIUM(rho, 1, cu, usqr);
  fin[18] = fin[9] -  rho*2*cu;
}

void init_velocity_g(
  lbm_vars d_vars,
  BoxCU domain,
  BoxCU domain_vel,
  double depth,
  float u0 , float u1, float u2,
  double rho)
{
  int nx = domain.nx;
  int ny = domain.ny;
  int nz = domain.nz;

  // warplens: d_vars.f0 has no shared elements, d_vars.f1 has no shared elements
  // warplens: d_vars.r has no shared elements, d_vars.u_star.u0 has no shared elements
  // warplens: d_vars.u_star.u1 has no shared elements, d_vars.u_star.u2 has no shared elements
  for (int z = 0; z < nz; z++) {
    for (int y = 0; y < ny; y++) {
      for (int x = 0; x < nx; x++) {

        double finl[nb_directions];

        int ugi = IDX(x - domain_vel.x0 + domain.x0,
            y - domain_vel.y0 + domain.y0,
            z - domain_vel.z0 + domain.z0,
            domain_vel.nx, domain_vel.ny, domain_vel.nz);

        d_vars.r[ugi] = rho;

        d_vars.u_star.u0[ugi] = u0;
        d_vars.u_star.u1[ugi] = u1;
        d_vars.u_star.u2[ugi] = u2;

        d_equilibrium(finl, rho, u0, u1, u2);

        for (int i = 0; i < nb_directions; ++i) {
          d_vars.f0[IDF(x, y, z, i, nx, ny, nz)] =  finl[i];
          d_vars.f1[IDF(x, y, z, i, nx, ny, nz)] =  finl[i];
        }
      }
    }
  }
}
