/* HeCBench floydwarshall2-cuda, kernel init1 (BSD-3-Clause). */
#define INT_MAX 2147483647

void init1(const int nodes, int *const AdjMat, const int upper)
{
    for (int idx = 0; idx < upper * upper; idx++) {
        const int i = idx / upper;
        if (i < upper) {
            const int j = idx % upper;
            AdjMat[idx] = ((i == j) && (i < nodes)) ? 0 : (INT_MAX / 2);
        }
    }
}
