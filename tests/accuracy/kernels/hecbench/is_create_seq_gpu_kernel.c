/* HeCBench is, kernel create_seq_gpu_kernel of class C (BSD-3-Clause). */
#include <math.h>
#define NUM_KEYS (1 << 27)
#define MAX_KEY (1 << 23)
#define R23 pow(0.5, 23.0)
#define R46 (R23*R23)
#define T23 pow(2.0, 23.0)
#define T46 (T23*T23)

static double randlc_device(double *X, const double *A)
{
    double T1, T2, T3, T4;
    double A1;
    double A2;
    double X1;
    double X2;
    double Z;
    int j;

    T1 = R23 * *A;
    j = T1;
    A1 = j;
    A2 = *A - T23 * A1;

    T1 = R23 * *X;
    j = T1;
    X1 = j;
    X2 = *X - T23 * X1;
    T1 = A1 * X2 + A2 * X1;

    j = R23 * T1;
    T2 = j;
    Z = T1 - T23 * T2;
    T3 = T23 * Z + A2 * X2;
    j = R46 * T3;
    T4 = j;
    *X = T3 - T46 * T4;

    return (R46 * *X);
}

static double find_my_seed_device(int kn, int np, long nn, double s, double a)
{
    double t1, t2;
    long mq, nq, kk, ik;

    if (kn == 0) return s;

    mq = (nn/4 + np - 1) / np;
    nq = mq * 4 * kn;

    t1 = s;
    t2 = a;
    kk = nq;
    while (kk > 1) {
        ik = kk / 2;
        if (2*ik == kk) {
            (void)randlc_device(&t2, &t2);
            kk = ik;
        } else {
            (void)randlc_device(&t1, &t2);
            kk = kk - 1;
        }
    }
    (void)randlc_device(&t1, &t2);

    return (t1);
}

void create_seq_gpu_kernel(int *key_array, double seed, double a, int amount_of_work)
{
    for (int myid = 0; myid < amount_of_work; myid++) {
        double x, s;
        double an = a;
        int i, k;
        int k1, k2;
        int num_procs;
        int mq;

        num_procs = amount_of_work;

        mq = (NUM_KEYS + num_procs - 1) / num_procs;
        k1 = mq * myid;
        k2 = k1 + mq;
        if (k2 > NUM_KEYS) k2 = NUM_KEYS;

        s = find_my_seed_device(myid, num_procs, (long)4*NUM_KEYS, seed, an);

        k = MAX_KEY/4;

        for (i = k1; i < k2; i++) {
            x = randlc_device(&s, &an);
            x += randlc_device(&s, &an);
            x += randlc_device(&s, &an);
            x += randlc_device(&s, &an);
            key_array[i] = k*x;
        }
    }
}
