/* HeCBench libor-cuda, kernel Pathcalc_Portfolio_KernelGPU2 (BSD-3-Clause). __fdividef and __expf are written as / and expf. */
#include <math.h>

#define NN 80

static void path_calc(float *L, const float *z, const float *lambda, const float delta, const int Nmat, const int N);
static float portfolio(float *L, const float *lambda, const int *maturities, const float *swaprates, const float delta,
                       const int Nmat, const int N, const int Nopt);

void Pathcalc_Portfolio_KernelGPU2(float *restrict d_v, const float *restrict lambda, const int *restrict maturities,
                                   const float *restrict swaprates, const float delta, const int Nmat, const int N, const int Nopt,
                                   const int NPATH)
{
    for (int path = 0; path < NPATH; path++) {
        float L[NN], z[NN];
        for (int i = 0; i < N; i++) {
            z[i] = 0.3f;
            L[i] = 0.05f;
        }
        path_calc(L, z, lambda, delta, Nmat, N);
        d_v[path] = portfolio(L, lambda, maturities, swaprates, delta, Nmat, N, Nopt);
    }
}

static void path_calc(float *L, const float *z, const float *lambda, const float delta, const int Nmat, const int N)
{
    int i, n;
    float sqez, lam, con1, v, vrat;

    for (n = 0; n < Nmat; n++) {
        sqez = sqrtf(delta) * z[n];
        v = 0.f;

        for (i = n + 1; i < N; i++) {
            lam = lambda[i - n - 1];
            con1 = delta * lam;
            v += (con1 * L[i]) / (1.f + delta * L[i]);
            vrat = expf(con1 * v + lam * (sqez - 0.5f * con1));
            L[i] = L[i] * vrat;
        }
    }
}

static float portfolio(float *L, const float *lambda, const int *maturities, const float *swaprates, const float delta,
                       const int Nmat, const int N, const int Nopt)
{
    int n, m, i;
    float v, b, s, swapval, B[40], S[40];

    b = 1.f;
    s = 0.f;

    for (n = Nmat; n < N; n++) {
        b = b / (1.f + delta * L[n]);
        s = s + delta * b;
        B[n - Nmat] = b;
        S[n - Nmat] = s;
    }

    v = 0.f;

    for (i = 0; i < Nopt; i++) {
        m = maturities[i] - 1;
        swapval = B[m] + swaprates[i] * S[m] - 1.f;
        if (swapval < 0)
            v += -100.f * swapval;
    }

    b = 1.f;
    for (n = 0; n < Nmat; n++)
        b = b / (1.f + delta * L[n]);

    v = b * v;

    return v;
}
