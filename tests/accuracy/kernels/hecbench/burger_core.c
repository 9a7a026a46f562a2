/* HeCBench burger-cuda, kernel core (MIT, (c) 2020 Soumya Sen). */
#define idx(i, j) (i) * y_points + (j)
void core(double *restrict u_new, double *restrict v_new, const double *restrict u, const double *restrict v, const int x_points,
          const int y_points, const double nu, const double del_t, const double del_x, const double del_y)
{
    for (int i = 1; i < y_points - 1; i++)
        for (int j = 1; j < x_points - 1; j++) {
            u_new[idx(i, j)] = u[idx(i, j)] +
                               (nu * del_t / (del_x * del_x)) * (u[idx(i, j + 1)] + u[idx(i, j - 1)] - 2 * u[idx(i, j)]) +
                               (nu * del_t / (del_y * del_y)) * (u[idx(i + 1, j)] + u[idx(i - 1, j)] - 2 * u[idx(i, j)]) -
                               (del_t / del_x) * u[idx(i, j)] * (u[idx(i, j)] - u[idx(i, j - 1)]) -
                               (del_t / del_y) * v[idx(i, j)] * (u[idx(i, j)] - u[idx(i - 1, j)]);

            v_new[idx(i, j)] = v[idx(i, j)] +
                               (nu * del_t / (del_x * del_x)) * (v[idx(i, j + 1)] + v[idx(i, j - 1)] - 2 * v[idx(i, j)]) +
                               (nu * del_t / (del_y * del_y)) * (v[idx(i + 1, j)] + v[idx(i - 1, j)] - 2 * v[idx(i, j)]) -
                               (del_t / del_x) * u[idx(i, j)] * (v[idx(i, j)] - v[idx(i, j - 1)]) -
                               (del_t / del_y) * v[idx(i, j)] * (v[idx(i, j)] - v[idx(i - 1, j)]);
        }
}
