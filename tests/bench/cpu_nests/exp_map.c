#include <math.h>
void exp_map(long n, const double *restrict x, double *restrict y) {
    for (long i = 0; i < n; i++) y[i] = exp(x[i]);
}
