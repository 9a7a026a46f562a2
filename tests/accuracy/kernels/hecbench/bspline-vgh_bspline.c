/* HeCBench bspline-vgh-cuda, kernel bspline (BSD-3-Clause). Its device function is inlined. */
#define NSIZE 2003
#define MSIZE (NSIZE * 3 + 3)
#define OSIZE (NSIZE * 9 + 9)
void bspline(const float *restrict spline_coefs, const long xs, const long ys, const long zs, float *restrict walkers_vals,
             float *restrict walkers_grads, float *restrict walkers_hess, const float *restrict a, const float *restrict b,
             const float *restrict c, const float *restrict da, const float *restrict db, const float *restrict dc,
             const float *restrict d2a, const float *restrict d2b, const float *restrict d2c,
             const float spline_x_grid_delta_inv, const float spline_y_grid_delta_inv, const float spline_z_grid_delta_inv,
             const int spline_num_splines, const int i, const int ix, const int iy, const int iz)
{
    for (int n = 0; n < spline_num_splines; n++) {
        const float *coefs_init = spline_coefs + ix * xs + iy * ys + iz * zs + n;
        float *vals = walkers_vals + i * NSIZE + n;
        float *grads = walkers_grads + i * MSIZE + n * 3;
        float *hess = walkers_hess + i * OSIZE + n * 9;

        float h[9];
        float v0 = 0.f;
        for (int p = 0; p < 9; ++p)
            h[p] = 0.f;

        for (int p = 0; p < 4; p++)
            for (int q = 0; q < 4; q++) {
                float pre20 = d2a[p] * b[q];
                float pre10 = da[p] * b[q];
                float pre00 = a[p] * b[q];
                float pre11 = da[p] * db[q];
                float pre01 = a[p] * db[q];
                float pre02 = a[p] * d2b[q];

                const float *coefs = coefs_init + p * xs + q * ys;

                float sum0 = c[0] * coefs[0] + c[1] * coefs[zs] + c[2] * coefs[zs * 2] + c[3] * coefs[zs * 3];
                float sum1 = dc[0] * coefs[0] + dc[1] * coefs[zs] + dc[2] * coefs[zs * 2] + dc[3] * coefs[zs * 3];
                float sum2 = d2c[0] * coefs[0] + d2c[1] * coefs[zs] + d2c[2] * coefs[zs * 2] + d2c[3] * coefs[zs * 3];

                h[0] += pre20 * sum0;
                h[1] += pre11 * sum0;
                h[2] += pre10 * sum1;
                h[4] += pre02 * sum0;
                h[5] += pre01 * sum1;
                h[8] += pre00 * sum2;
                h[3] += pre10 * sum0;
                h[6] += pre01 * sum0;
                h[7] += pre00 * sum1;
                v0 += pre00 * sum0;
            }
        vals[0] = v0;
        grads[0] = h[3] * spline_x_grid_delta_inv;
        grads[1] = h[6] * spline_y_grid_delta_inv;
        grads[2] = h[7] * spline_z_grid_delta_inv;

        hess[0] = h[0] * spline_x_grid_delta_inv * spline_x_grid_delta_inv;
        hess[1] = h[1] * spline_x_grid_delta_inv * spline_y_grid_delta_inv;
        hess[2] = h[2] * spline_x_grid_delta_inv * spline_z_grid_delta_inv;
        hess[3] = h[1] * spline_x_grid_delta_inv * spline_y_grid_delta_inv;
        hess[4] = h[4] * spline_y_grid_delta_inv * spline_y_grid_delta_inv;
        hess[5] = h[5] * spline_y_grid_delta_inv * spline_z_grid_delta_inv;
        hess[6] = h[2] * spline_x_grid_delta_inv * spline_z_grid_delta_inv;
        hess[7] = h[5] * spline_y_grid_delta_inv * spline_z_grid_delta_inv;
        hess[8] = h[8] * spline_z_grid_delta_inv * spline_z_grid_delta_inv;
    }
}
