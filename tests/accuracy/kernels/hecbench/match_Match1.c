/* HeCBench match-cuda, kernel Match1 (MIT, (c) 2017 Marten Bjorkman). */
#define NPTS (2048 * 8)
#define NDIM 128
void Match1(const float *restrict d_pts1, const float *restrict d_pts2, float *restrict d_score, int *restrict d_index)
{
    for (int p1 = 0; p1 < NPTS; p1++) {
        float max_score = 0.0f;
        int index = -1;

        for (int p2 = 0; p2 < NPTS; p2++) {
            float score = 0.0f;
            for (int d = 0; d < NDIM; d++)
                score += d_pts1[p1 * NDIM + d] * d_pts2[p2 * NDIM + d];
            if (score > max_score) {
                max_score = score;
                index = p2;
            }
        }

        d_score[p1] = max_score;
        d_index[p1] = index;
    }
}
