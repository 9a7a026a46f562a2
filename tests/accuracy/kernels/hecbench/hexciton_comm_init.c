/* HeCBench hexciton-cuda, kernel comm_init (BSD-3-Clause). hdt is the value that its expression folds to. */
#define hdt 3.14159274e-3f

typedef struct {
    float x, y;
} real_2_t;

void comm_init(const real_2_t *restrict sigma_in, real_2_t *restrict sigma_out, const real_2_t *restrict hamiltonian, const int dim,
               const int num)
{
    for (int gid = 0; gid < num; gid++) {
        int sigma_id = gid * dim * dim;
        for (int i = 0; i < dim; ++i) {
            for (int j = 0; j < dim; ++j) {
                real_2_t tmp;
                tmp.x = 0.0;
                tmp.y = 0.0;
                for (int k = 0; k < dim; ++k) {
                    tmp.x += (hamiltonian[i * dim + k].x * sigma_in[sigma_id + k * dim + j].x
                              - sigma_in[sigma_id + i * dim + k].x * hamiltonian[k * dim + j].x);
                    tmp.x -= (hamiltonian[i * dim + k].y * sigma_in[sigma_id + k * dim + j].y
                              - sigma_in[sigma_id + i * dim + k].y * hamiltonian[k * dim + j].y);
                    tmp.y += (hamiltonian[i * dim + k].x * sigma_in[sigma_id + k * dim + j].y
                              - sigma_in[sigma_id + i * dim + k].x * hamiltonian[k * dim + j].y);
                    tmp.y += (hamiltonian[i * dim + k].y * sigma_in[sigma_id + k * dim + j].x
                              - sigma_in[sigma_id + i * dim + k].y * hamiltonian[k * dim + j].x);
                }
                sigma_out[sigma_id + i * dim + j].x += hdt * tmp.y;
                sigma_out[sigma_id + i * dim + j].y -= hdt * tmp.x;
            }
        }
    }
}
