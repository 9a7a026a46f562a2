/* HeCBench bezier-surface, kernel BezierGPU (BSD-3-Clause). The guard of the source lets one thread more through than there are
   rows; so does the loop's bound. */
#include <math.h>

typedef struct {
    float x;
    float y;
    float z;
} XYZ;

static float BezierBlend(int k, float mu, int n);

void BezierGPU(const XYZ *inp, XYZ *outp, const int NI, const int NJ, const int RESOLUTIONI, const int RESOLUTIONJ)
{
    for (int i = 0; i <= RESOLUTIONI; i++) {
        int j, ki, kj;
        float mui, muj, bi, bj;

        mui = i / (float)(RESOLUTIONI - 1);
        for (j = 0; j < RESOLUTIONJ; j++) {
            muj = j / (float)(RESOLUTIONJ - 1);
            XYZ out = {0, 0, 0};
            for (ki = 0; ki <= NI; ki++) {
                bi = BezierBlend(ki, mui, NI);
                for (kj = 0; kj <= NJ; kj++) {
                    bj = BezierBlend(kj, muj, NJ);
                    out.x += (inp[ki * (NJ + 1) + kj].x * bi * bj);
                    out.y += (inp[ki * (NJ + 1) + kj].y * bi * bj);
                    out.z += (inp[ki * (NJ + 1) + kj].z * bi * bj);
                }
            }
            outp[i * RESOLUTIONJ + j] = out;
        }
    }
}

static float BezierBlend(int k, float mu, int n)
{
    int nn, kn, nkn;
    float blend = 1;
    nn = n;
    kn = k;
    nkn = n - k;
    while (nn >= 1) {
        blend *= nn;
        nn--;
        if (kn > 1) {
            blend /= (float)kn;
            kn--;
        }
        if (nkn > 1) {
            blend /= (float)nkn;
            nkn--;
        }
    }
    if (k > 0)
        blend *= powf(mu, (float)k);
    if (n - k > 0)
        blend *= powf(1 - mu, (float)(n - k));
    return (blend);
}
