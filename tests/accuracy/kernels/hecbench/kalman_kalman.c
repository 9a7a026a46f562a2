/* HeCBench kalman-cuda, kernel kalman<8> (Apache-2.0, (c) 2019-2021 NVIDIA Corporation). The thread-local products are
   inlined. */
#include <math.h>
#define rd 8
#define rd2 (rd * rd)
void kalman(const double *restrict ys, int nobs, const double *restrict T, const double *restrict Z, const double
            *restrict RQR, const double *restrict P, const double *restrict alpha, int intercept, const double *restrict
            d_mu, int batch_size, double *restrict vs, double *restrict Fs, double *restrict sum_logFs, int n_diff, int
            fc_steps, double *restrict d_fc, int conf_int, double *d_F_fc)
{
  // warplens: b_F_fc has no shared elements, b_fc has no shared elements
  for (int bid = 0; bid < batch_size; bid++) {
    double l_RQR[rd2];
    double l_T[rd2];
    double l_Z[rd];
    double l_P[rd2];
    double l_alpha[rd];
    double l_K[rd];
    double l_tmp[rd2];
    double l_TP[rd2];

    int b_rd_offset  = bid * rd;
    int b_rd2_offset = bid * rd2;
    for (int i = 0; i < rd2; i++) {
      l_RQR[i] = RQR[b_rd2_offset + i];
      l_T[i]   = T[b_rd2_offset + i];
      l_P[i]   = P[b_rd2_offset + i];
    }
    for (int i = 0; i < rd; i++) {
      if (n_diff > 0) l_Z[i] = Z[b_rd_offset + i];
      l_alpha[i] = alpha[b_rd_offset + i];
    }

    double b_sum_logFs = 0.0;
    const double* b_ys = ys + bid * nobs;
    double* b_vs       = vs + bid * nobs;
    double* b_Fs       = Fs + bid * nobs;

    double mu = intercept ? d_mu[bid] : 0.0;

    for (int it = 0; it < nobs; it++) {
      double vs_it = b_ys[it];
      if (n_diff == 0)
        vs_it -= l_alpha[0];
      else {
        for (int i = 0; i < rd; i++) {
          vs_it -= l_alpha[i] * l_Z[i];
        }
      }
      b_vs[it] = vs_it;

      double _Fs;
      if (n_diff == 0)
        _Fs = l_P[0];
      else {
        _Fs = 0.0;
        for (int i = 0; i < rd; i++) {
          for (int j = 0; j < rd; j++) {
            _Fs += l_P[j * rd + i] * l_Z[i] * l_Z[j];
          }
        }
      }
      b_Fs[it] = _Fs;
      if (it >= n_diff) b_sum_logFs += log(_Fs);

      for (int i = 0; i < rd; i++) {
        for (int j = 0; j < rd; j++) {
          double sum = 0.0;
          for (int k = 0; k < rd; k++) {
            double Aik = l_T[i + k * rd];
            double Bkj = l_P[k + j * rd];
            sum += Aik * Bkj;
          }
          l_TP[i + j * rd] = sum;
        }
      }

      double _1_Fs = 1.0 / _Fs;
      if (n_diff == 0) {
        for (int i = 0; i < rd; i++) {
          l_K[i] = _1_Fs * l_TP[i];
        }
      } else {
      for (int i = 0; i < rd; i++) {
        double sum = 0.0;
        for (int j = 0; j < rd; j++) {
          sum += l_TP[i + j * rd] * l_Z[j];
        }
        l_K[i] = _1_Fs * sum;
      }
      }

      for (int i = 0; i < rd; i++) {
        double sum = 0.0;
        for (int j = 0; j < rd; j++) {
          sum += l_T[i + j * rd] * l_alpha[j];
        }
        l_tmp[i] = sum;
      }

      for (int i = 0; i < rd; i++) {
        l_alpha[i] = l_tmp[i] + l_K[i] * vs_it;
      }

      l_alpha[n_diff] += mu;

      for (int i = 0; i < rd2; i++) {
        l_tmp[i] = l_T[i];
      }

      if (n_diff == 0) {
        for (int i = 0; i < rd; i++) {
          l_tmp[i] -= l_K[i];
        }
      } else {
        for (int i = 0; i < rd; i++) {
          for (int j = 0; j < rd; j++) {
            l_tmp[j * rd + i] -= l_K[i] * l_Z[j];
          }
        }
      }

      for (int i = 0; i < rd; i++) {
        for (int j = 0; j < rd; j++) {
          double sum = 0.0;
          for (int k = 0; k < rd; k++) {
            double Aik = l_TP[i + k * rd];
            double Bkj = l_tmp[j + k * rd];
            sum += Aik * Bkj;
          }
          l_P[i + j * rd] = sum;
        }
      }

      for (int i = 0; i < rd2; i++) {
        l_P[i] += l_RQR[i];
      }
    }
    sum_logFs[bid] = b_sum_logFs;

    double* b_fc   = fc_steps ? d_fc + bid * fc_steps : 0;
    double* b_F_fc = conf_int ? d_F_fc + bid * fc_steps : 0;
    for (int it = 0; it < fc_steps; it++) {
      if (n_diff == 0)
        b_fc[it] = l_alpha[0];
      else {
        double pred = 0.0;
        for (int i = 0; i < rd; i++) {
          pred += l_alpha[i] * l_Z[i];
        }
        b_fc[it] = pred;
      }

      for (int i = 0; i < rd; i++) {
        double sum = 0.0;
        for (int j = 0; j < rd; j++) {
          sum += l_T[i + j * rd] * l_alpha[j];
        }
        l_tmp[i] = sum;
      }
      for (int i = 0; i < rd; i++) {
        l_alpha[i] = l_tmp[i];
      }
      l_alpha[n_diff] += mu;

      if (conf_int) {
        if (n_diff == 0)
          b_F_fc[it] = l_P[0];
        else {
          double _Fs = 0.0;
          for (int i = 0; i < rd; i++) {
            for (int j = 0; j < rd; j++) {
              _Fs += l_P[j * rd + i] * l_Z[i] * l_Z[j];
            }
          }
          b_F_fc[it] = _Fs;
        }

        for (int i = 0; i < rd; i++) {
        for (int j = 0; j < rd; j++) {
          double sum = 0.0;
          for (int k = 0; k < rd; k++) {
            double Aik = l_T[i + k * rd];
            double Bkj = l_P[k + j * rd];
            sum += Aik * Bkj;
          }
          l_TP[i + j * rd] = sum;
        }
      }

        for (int i = 0; i < rd; i++) {
        for (int j = 0; j < rd; j++) {
          double sum = 0.0;
          for (int k = 0; k < rd; k++) {
            double Aik = l_TP[i + k * rd];
            double Bkj = l_T[j + k * rd];
            sum += Aik * Bkj;
          }
          l_P[i + j * rd] = sum;
        }
      }

        for (int i = 0; i < rd2; i++) {
          l_P[i] += l_RQR[i];
        }
      }
    }
  }
}
