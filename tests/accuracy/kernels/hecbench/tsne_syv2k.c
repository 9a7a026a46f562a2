/* HeCBench tsne-cuda, kernel syv2k (BSD-3-Clause). */
void syv2k(float *restrict pij_sym, const float *restrict pij_non_sym, const int *restrict pij_indices, const int num_points,
           const int num_neighbors)
{
    for (int tid = 0; tid < num_points * num_neighbors; tid++) {
        int i, j, jend;
        float pij_acc;

        i = tid / num_neighbors;
        j = pij_indices[tid];

        pij_acc = pij_non_sym[tid];
        jend = (j + 1) * num_neighbors;
        for (int jidx = j * num_neighbors; jidx < jend; jidx++) {
            pij_acc += pij_indices[jidx] == i ? pij_non_sym[jidx] : 0.0f;
        }
        pij_sym[tid] = pij_acc / (2.0f * num_points);
    }
}
