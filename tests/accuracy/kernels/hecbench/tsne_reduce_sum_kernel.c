/* HeCBench tsne-cuda, kernel reduce_sum_kernel (BSD-3-Clause). */
void reduce_sum_kernel(float *restrict attractive_forces, const float *restrict workspace_x, const float *restrict workspace_y,
                       const int num_points, const int num_neighbors)
{
    for (int tid = 0; tid < num_points; tid++) {
        int jend, j;
        float acc_x, acc_y;

        acc_x = 0.0f;
        acc_y = 0.0f;
        jend = (tid + 1) * num_neighbors;
        for (j = tid * num_neighbors; j < jend; j++) {
            acc_x += workspace_x[j];
            acc_y += workspace_y[j];
        }

        attractive_forces[tid] = acc_x;
        attractive_forces[num_points + tid] = acc_y;
    }
}
