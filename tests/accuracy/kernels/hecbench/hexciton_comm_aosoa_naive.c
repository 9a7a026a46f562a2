/* HeCBench hexciton-cuda, kernel comm_aosoa_naive (BSD-3-Clause). The arrays are of floats: the source casts pairs.
   package_id and sigma_id, macros in the source, are variables: they do not depend on the inner loops. */
#define VEC_LENGTH_AUTO 4

#define sigma_real(i, j) (package_id + 2 * VEC_LENGTH_AUTO * (dim * (i) + (j)) + (sigma_id))
#define sigma_imag(i, j) (package_id + 2 * VEC_LENGTH_AUTO * (dim * (i) + (j)) + VEC_LENGTH_AUTO + (sigma_id))

#define ham_real(i, j) ((i) * dim + (j))
#define ham_imag(i, j) (dim * dim + (i) * dim + (j))

void comm_aosoa_naive(const float *restrict sigma_in, float *restrict sigma_out, const float *restrict hamiltonian, const int dim,
                      const int num)
{
    // warplens: sigma_out has no shared elements
    for (int gid = 0; gid < num; gid++) {
        int package_id = (gid / VEC_LENGTH_AUTO) * VEC_LENGTH_AUTO * 2 * dim * dim;
        int sigma_id = gid % VEC_LENGTH_AUTO;
        for (int i = 0; i < dim; ++i) {
            for (int j = 0; j < dim; ++j) {
                float tmp_real = 0.0;
                float tmp_imag = 0.0;
                for (int k = 0; k < dim; ++k) {
                    tmp_imag -= hamiltonian[ham_real(i, k)] * sigma_in[sigma_real(k, j)];
                    tmp_imag += sigma_in[sigma_real(i, k)] * hamiltonian[ham_real(k, j)];
                    tmp_imag += hamiltonian[ham_imag(i, k)] * sigma_in[sigma_imag(k, j)];
                    tmp_imag -= sigma_in[sigma_imag(i, k)] * hamiltonian[ham_imag(k, j)];
                    tmp_real += hamiltonian[ham_real(i, k)] * sigma_in[sigma_imag(k, j)];
                    tmp_real -= sigma_in[sigma_real(i, k)] * hamiltonian[ham_imag(k, j)];
                    tmp_real += hamiltonian[ham_imag(i, k)] * sigma_in[sigma_real(k, j)];
                    tmp_real -= sigma_in[sigma_imag(i, k)] * hamiltonian[ham_real(k, j)];
                }
                sigma_out[sigma_real(i, j)] += tmp_real;
                sigma_out[sigma_imag(i, j)] += tmp_imag;
            }
        }
    }
}
