/* HeCBench srad-cuda, kernel srad (BSD-3-Clause). */
void srad(float d_lambda, const int d_Nr, const int d_Nc, const long d_Ne, const int *d_iN, const int *d_iS, const int *d_jE,
          const int *d_jW, float *d_dN, float *d_dS, float *d_dE, float *d_dW, const float d_q0sqr, float *d_c, const float *d_I)
{
    for (int ei = 0; ei < d_Ne; ei++) {
        int row;
        int col;

        float d_Jc;
        float d_dN_loc, d_dS_loc, d_dW_loc, d_dE_loc;
        float d_c_loc;
        float d_G2, d_L, d_num, d_den, d_qsqr;

        row = (ei + 1) % d_Nr - 1;
        col = (ei + 1) / d_Nr + 1 - 1;
        if ((ei + 1) % d_Nr == 0) {
            row = d_Nr - 1;
            col = col - 1;
        }

        d_Jc = d_I[ei];

        d_dN_loc = d_I[d_iN[row] + d_Nr * col] - d_Jc;
        d_dS_loc = d_I[d_iS[row] + d_Nr * col] - d_Jc;
        d_dW_loc = d_I[row + d_Nr * d_jW[col]] - d_Jc;
        d_dE_loc = d_I[row + d_Nr * d_jE[col]] - d_Jc;

        d_G2 = (d_dN_loc * d_dN_loc + d_dS_loc * d_dS_loc + d_dW_loc * d_dW_loc + d_dE_loc * d_dE_loc) / (d_Jc * d_Jc);

        d_L = (d_dN_loc + d_dS_loc + d_dW_loc + d_dE_loc) / d_Jc;

        d_num = ((float)0.5 * d_G2) - (((float)1.0 / (float)16.0) * (d_L * d_L));
        d_den = (float)1 + ((float)0.25 * d_L);
        d_qsqr = d_num / (d_den * d_den);

        d_den = (d_qsqr - d_q0sqr) / (d_q0sqr * ((float)1.0 + d_q0sqr));
        d_c_loc = (float)1.0 / ((float)1.0 + d_den);

        if (d_c_loc < 0) {
            d_c_loc = 0;
        } else if (d_c_loc > 1) {
            d_c_loc = 1;
        }

        d_dN[ei] = d_dN_loc;
        d_dS[ei] = d_dS_loc;
        d_dW[ei] = d_dW_loc;
        d_dE[ei] = d_dE_loc;
        d_c[ei] = d_c_loc;
    }
}
