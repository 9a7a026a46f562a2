/* HeCBench thomas-cuda, kernel cuThomasBatch (BSD-3-Clause). */
void cuThomasBatch(const double *L, const double *D, double *U, double *RHS, const int M, const int BATCHCOUNT)
{
    for (int tid = 0; tid < BATCHCOUNT; tid++) {
        int first = tid;
        int last = BATCHCOUNT * (M - 1) + tid;

        U[first] /= D[first];
        RHS[first] /= D[first];

        for (int i = first + BATCHCOUNT; i < last; i += BATCHCOUNT) {
            U[i] /= D[i] - L[i] * U[i - BATCHCOUNT];
            RHS[i] = (RHS[i] - L[i] * RHS[i - BATCHCOUNT]) / (D[i] - L[i] * U[i - BATCHCOUNT]);
        }

        RHS[last] = (RHS[last] - L[last] * RHS[last - BATCHCOUNT]) / (D[last] - L[last] * U[last - BATCHCOUNT]);

        for (int i = last - BATCHCOUNT; i >= first; i -= BATCHCOUNT) {
            RHS[i] -= U[i] * RHS[i + BATCHCOUNT];
        }
    }
}
