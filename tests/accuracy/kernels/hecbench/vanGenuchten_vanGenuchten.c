/* HeCBench vanGenuchten-cuda, kernel vanGenuchten (BSD-3-Clause). */
#include <math.h>

#define alpha 0.02
#define theta_S 0.45
#define theta_R 0.1
#define n 1.8

void vanGenuchten(const double *restrict Ksat, const double *restrict psi, double *restrict C, double *restrict theta,
                  double *restrict K, const int size)
{
    for (int i = 0; i < size; i++) {
        double Se, _theta, _psi, lambda, m, t;

        lambda = n - 1.0;
        m = lambda / n;

        _psi = psi[i] * 100.0;
        if (_psi < 0.0)
            _theta = (theta_S - theta_R) / pow(1.0 + pow((alpha * (-_psi)), n), m) + theta_R;
        else
            _theta = theta_S;

        theta[i] = _theta;

        Se = (_theta - theta_R) / (theta_S - theta_R);

        t = 1.0 - pow(1.0 - pow(Se, 1.0 / m), m);
        K[i] = Ksat[i] * sqrt(Se) * t * t;

        if (_psi < 0.0)
            C[i] = 100.0 * alpha * n * (1.0 / n - 1.0) * pow(alpha * fabs(_psi), n - 1.0) * (theta_R - theta_S)
                   * pow(pow(alpha * fabs(_psi), n) + 1.0, 1.0 / n - 2.0);
        else
            C[i] = 0.0;
    }
}
