/* HeCBench md, kernel md of double (BSD-3-Clause). */
typedef struct { double x, y, z, w; } double4;

void md(const double4 *restrict position, double4 *restrict force, const int *restrict neighborList, const int nAtom,
        const int maxNeighbors, const double lj1_t, const double lj2_t, const double cutsq_t)
{
    for (unsigned int idx = 0; idx < nAtom; idx++) {
        double4 ipos = position[idx];
        double4 f = {0.0, 0.0, 0.0, 0.0};

        int j = 0;
        while (j < maxNeighbors)
        {
            int jidx = neighborList[j*nAtom + idx];

            double4 jpos = position[jidx];

            double delx = ipos.x - jpos.x;
            double dely = ipos.y - jpos.y;
            double delz = ipos.z - jpos.z;
            double r2inv = delx*delx + dely*dely + delz*delz;

            if (r2inv > 0 && r2inv < cutsq_t)
            {
                r2inv = 1.0 / r2inv;
                double r6inv = r2inv * r2inv * r2inv;
                double forceC = r2inv * r6inv * (lj1_t * r6inv - lj2_t);

                f.x += delx * forceC;
                f.y += dely * forceC;
                f.z += delz * forceC;
            }
            j++;
        }
        force[idx] = f;
    }
}
