/* HeCBench laplace, kernel red_kernel (BSD-3-Clause). */
#define NUM 1024
#define ONE 1.0f
#define omega 1.85f

void red_kernel(const float *restrict aP, const float *restrict aW, const float *restrict aE, const float *restrict aS,
                const float *restrict aN, const float *restrict b, const float *restrict temp_black,
                float *restrict temp_red, float *restrict norm_L2)
{
    for (int col = 1; col <= NUM; col++)
        for (int row = 1; row <= NUM / 2; row++) {
            int ind_red = col * ((NUM >> 1) + 2) + row;
            int ind = 2 * row - (col & 1) - 1 + NUM * (col - 1);

            float temp_old = temp_red[ind_red];

            float res = b[ind]
                + aW[ind] * temp_black[row + (col - 1) * ((NUM >> 1) + 2)]
                + aE[ind] * temp_black[row + (col + 1) * ((NUM >> 1) + 2)]
                + aS[ind] * temp_black[row - (col & 1) + col * ((NUM >> 1) + 2)]
                + aN[ind] * temp_black[row + ((col + 1) & 1) + col * ((NUM >> 1) + 2)];

            float temp_new = temp_old * (ONE - omega) + omega * (res / aP[ind]);

            temp_red[ind_red] = temp_new;
            res = temp_new - temp_old;

            norm_L2[ind_red] = res * res;
        }
}
