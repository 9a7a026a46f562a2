/* HeCBench bfs-cuda, kernel Kernel2 (BSD-3-Clause). */
void Kernel2(char *restrict d_graph_mask, char *restrict d_updatind_graph_mask, char *restrict d_graph_visited,
             char *restrict d_over, const int no_of_nodes)
{
    for (int tid = 0; tid < no_of_nodes; tid++)
        if (d_updatind_graph_mask[tid]) {
            d_graph_mask[tid] = 1;
            d_graph_visited[tid] = 1;
            *d_over = 1;
            d_updatind_graph_mask[tid] = 0;
        }
}
