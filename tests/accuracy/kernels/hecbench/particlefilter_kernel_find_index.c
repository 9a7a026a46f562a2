/* HeCBench particlefilter-cuda, kernel kernel_find_index (BSD-3-Clause). */
void kernel_find_index(const float *restrict arrayX, const float *restrict arrayY, const float *restrict CDF,
                       const float *restrict u, float *restrict xj, float *restrict yj, const int Nparticles)
{
    for (int i = 0; i < Nparticles; i++) {
        int index = -1;
        int x;

        for (x = 0; x < Nparticles; x++) {
            if (CDF[x] >= u[i]) {
                index = x;
                break;
            }
        }
        if (index == -1) {
            index = Nparticles - 1;
        }

        xj[i] = arrayX[index];
        yj[i] = arrayY[index];
    }
}
