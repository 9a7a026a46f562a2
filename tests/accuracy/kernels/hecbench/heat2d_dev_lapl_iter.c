/* HeCBench heat2d-cuda, kernel dev_lapl_iter (BSD-3-Clause). */
void dev_lapl_iter(float *out, const float *in, const float delta, const float norm, const int lx, const int ly)
{
    for (int i = 0; i < lx * ly; i++) {
        int x = i % lx;
        int y = i / lx;
        int v00 = y * lx + x;
        int v0p = y * lx + (x + 1) % lx;
        int v0m = y * lx + (lx + x - 1) % lx;
        int vp0 = ((y + 1) % ly) * lx + x;
        int vm0 = ((ly + y - 1) % ly) * lx + x;
        out[v00] = norm * in[v00] + delta * (in[v0p] + in[v0m] + in[vp0] + in[vm0]);
    }
}
