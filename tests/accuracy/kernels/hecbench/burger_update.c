/* HeCBench burger-cuda, kernel update (MIT, (c) 2020 Soumya Sen). */
void update(double *restrict u, double *restrict v, const double *restrict u_new, const double *restrict v_new, const int n)
{
    for (int i = 0; i < n; i++) {
        u[i] = u_new[i];
        v[i] = v_new[i];
    }
}
