/* HeCBench page-rank-cuda, kernel map (BSD-3-Clause; MIT, Erick Lavoie et al.). */
void map(const int *restrict pages, const float *restrict page_ranks, float *restrict maps, const unsigned int *restrict noutlinks,
         const int n)
{
    for (int i = 0; i < n; i++) {
        int j;
        float outbound_rank = page_ranks[i] / (float)noutlinks[i];
        for (j = 0; j < n; ++j) {
            maps[i * n + j] = pages[i * n + j] * outbound_rank;
        }
    }
}
