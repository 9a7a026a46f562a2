/* HeCBench multimaterial-cuda, kernel ccc_loop2_2 (BSD-3-Clause). */
void ccc_loop2_2(const int *restrict matids, const double *restrict rho_compact_list, const double *restrict t_compact_list,
                 const double *restrict Vf_compact_list, const double *restrict n, double *restrict p_compact_list,
                 int *restrict mmc_index, int mmc_cells)
{
    for (int idx = 0; idx < mmc_cells; idx++) {
        double nm = n[matids[idx]];
        p_compact_list[idx] = (nm * rho_compact_list[idx] * t_compact_list[idx]) / Vf_compact_list[idx];
    }
}
