/* HeCBench glu-cuda, kernel glu_kernel (BSD-3-Clause). */
#include <math.h>

void glu_kernel(const int M, const int split_dim_size, const int N, const float *Xdata, float *Ydata)
{
    for (int index = 0; index < M * split_dim_size * N; index++) {
        const int xOffset = 2 * split_dim_size * N;
        const int yOffset = split_dim_size * N;

        const int i = index / split_dim_size / N;
        const int j = index / N % split_dim_size;
        const int k = index % N;
        const float x1 = Xdata[i * xOffset + j * N + k];
        const float x2 = Xdata[i * xOffset + (j + split_dim_size) * N + k];
        Ydata[i * yOffset + j * N + k] = x1 * (1.f / (1.f + expf(-x2)));
    }
}
