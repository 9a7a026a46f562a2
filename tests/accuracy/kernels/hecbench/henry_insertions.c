/* HeCBench henry, kernel insertions (BSD-3-Clause). pow(x, 6) with a whole exponent is a product in CUDA, and is one here. */
#include <math.h>
typedef unsigned long uint64_t;

struct StructureAtom {
    double x;
    double y;
    double z;
    double epsilon;
    double sigma;
};

#define T 298.0
#define R 8.314

static double pow6(double x);
static double LCG_random_double(uint64_t *seed);
static double compute(double x, double y, double z, const struct StructureAtom *restrict structureAtoms, double
    natoms, double L);

void insertions(double *restrict boltzmannFactors, const struct StructureAtom *restrict structureAtoms, int insertionsPerCycle,
                int natoms, double L)
{
    for (int id = 0; id < insertionsPerCycle; id++) {
        uint64_t seed = id;

        double x = L * LCG_random_double(&seed);
        double y = L * LCG_random_double(&seed);
        double z = L * LCG_random_double(&seed);

        boltzmannFactors[id] = compute(x, y, z, structureAtoms, natoms, L);
    }
}

static double pow6(double x)
{
    double x2 = x * x;
    return x2 * (x2 * x2);
}

static double LCG_random_double(uint64_t *seed)
{
    const uint64_t m = 9223372036854775808ULL;
    const uint64_t a = 2806196910506780709ULL;
    const uint64_t c = 1ULL;
    *seed = (a * (*seed) + c) % m;
    return (double) (*seed) / (double) m;
}

static double compute(double x, double y, double z, const struct StructureAtom *restrict structureAtoms, double natoms, double L)
{
    double E = 0.0;

    for (int i = 0; i < natoms; i++) {
        double dx = x - structureAtoms[i].x;
        double dy = y - structureAtoms[i].y;
        double dz = z - structureAtoms[i].z;

        const double boxupper = 0.5 * L;
        const double boxlower = -boxupper;

        dx = (dx >  boxupper) ? dx-L : dx;
        dx = (dx >  boxupper) ? dx-L : dx;
        dy = (dy >  boxupper) ? dy-L : dy;
        dy = (dy <= boxlower) ? dy-L : dy;
        dz = (dz <= boxlower) ? dz-L : dz;
        dz = (dz <= boxlower) ? dz-L : dz;

        double rinv = 1.0 / sqrt(dx*dx + dy*dy + dz*dz);

        double sig_ovr_r = rinv * structureAtoms[i].sigma;
        double sig_ovr_r6 = pow6(sig_ovr_r);
        double sig_ovr_r12 = sig_ovr_r6 * sig_ovr_r6;
        E += 4.0 * structureAtoms[i].epsilon * (sig_ovr_r12 - sig_ovr_r6);
    }
    return exp(-E / (R * T));
}
