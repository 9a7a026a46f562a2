/* HeCBench srad-cuda, kernel srad2 (BSD-3-Clause). */
void srad2(const float d_lambda, const int d_Nr, const int d_Nc, const long d_Ne, const int *d_iN, const int *d_iS, const int *d_jE,
           const int *d_jW, const float *d_dN, const float *d_dS, const float *d_dE, const float *d_dW, const float *d_c, float *d_I)
{
    for (int ei = 0; ei < d_Ne; ei++) {
        int row;
        int col;

        float d_cN, d_cS, d_cW, d_cE;
        float d_D;

        row = (ei + 1) % d_Nr - 1;
        col = (ei + 1) / d_Nr + 1 - 1;
        if ((ei + 1) % d_Nr == 0) {
            row = d_Nr - 1;
            col = col - 1;
        }

        d_cN = d_c[ei];
        d_cS = d_c[d_iS[row] + d_Nr * col];
        d_cW = d_c[ei];
        d_cE = d_c[row + d_Nr * d_jE[col]];

        d_D = d_cN * d_dN[ei] + d_cS * d_dS[ei] + d_cW * d_dW[ei] + d_cE * d_dE[ei];

        d_I[ei] = d_I[ei] + (float)0.25 * d_lambda * d_D;
    }
}
