/* HeCBench lulesh, kernel collect_final_force (BSD-3-Clause). */
typedef double Real_t;
typedef int Index_t;

void collect_final_force(const Real_t *restrict fx_elem, const Real_t *restrict fy_elem, const Real_t *restrict fz_elem,
                         Real_t *restrict fx, Real_t *restrict fy, Real_t *restrict fz,
                         const Index_t *restrict nodeElemStart, const Index_t *restrict nodeElemCornerList,
                         const Index_t numNode)
{
    for (Index_t gnode = 0; gnode < numNode; gnode++) {
        const Index_t count = nodeElemStart[gnode + 1] - nodeElemStart[gnode];
        const Index_t *cornerList = nodeElemCornerList + nodeElemStart[gnode];
        Real_t fx_tmp = 0.0;
        Real_t fy_tmp = 0.0;
        Real_t fz_tmp = 0.0;
        for (Index_t i = 0; i < count; ++i) {
            Index_t elem = cornerList[i];
            fx_tmp += fx_elem[elem];
            fy_tmp += fy_elem[elem];
            fz_tmp += fz_elem[elem];
        }
        fx[gnode] = fx_tmp;
        fy[gnode] = fy_tmp;
        fz[gnode] = fz_tmp;
    }
}
