/* HeCBench burger-cuda, kernel bound_v (MIT, (c) 2020 Soumya Sen). */
#define idx(i, j) (i) * y_points + (j)
void bound_v(double *restrict u_new, double *restrict v_new, const int x_points, const int y_points)
{
    for (int j = 0; j < y_points; j++) {
        u_new[idx(j, 0)] = 1.0;
        v_new[idx(j, 0)] = 1.0;
        u_new[idx(j, x_points - 1)] = 1.0;
        v_new[idx(j, x_points - 1)] = 1.0;
    }
}
