/* HeCBench lulesh, kernel calcPositionForNodes (BSD-3-Clause). */
typedef double Real_t;
typedef int Index_t;

void calcPositionForNodes(Real_t *restrict x, Real_t *restrict y, Real_t *restrict z, const Real_t *restrict xd,
                          const Real_t *restrict yd, const Real_t *restrict zd, const Real_t deltaTime,
                          const Index_t numNode)
{
    for (Index_t i = 0; i < numNode; i++) {
        x[i] += xd[i] * deltaTime;
        y[i] += yd[i] * deltaTime;
        z[i] += zd[i] * deltaTime;
    }
}
