/* HeCBench qem-cuda, kernel QRdel (BSD-3-Clause). */
#include <math.h>
void QRdel(int n, const float *A, const float *B, const float *C, const float *D, float *restrict b, float *restrict c,
           float *restrict d, float *restrict Q, float *restrict R, float *restrict Qint, float *restrict Rint,
           float *restrict del)
{
    for (int i = 0; i < n; i++) {
        b[i] = 0.75f * (B[i] / A[i]);
        c[i] = 0.50f * (C[i] / A[i]);
        d[i] = 0.25f * (D[i] / A[i]);

        Q[i] = (c[i] / 3.f) - ((b[i] * b[i]) / 9.f);
        R[i] = (b[i] * c[i]) / 6.f - (b[i] * b[i] * b[i]) / 27.f - 0.5f * d[i];

        Q[i] = roundf(Q[i] * 1E5f) / 1E5f;
        R[i] = roundf(R[i] * 1E5f) / 1E5f;

        Qint[i] = (Q[i] * Q[i] * Q[i]);
        Rint[i] = (R[i] * R[i]);

        del[i] = Rint[i] + Qint[i];
    }
}
