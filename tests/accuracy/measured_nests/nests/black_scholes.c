/* Arithmetic and library functions, little memory. */
#include <math.h>
void black_scholes(int n, double rate, double volatility, const double price[n], const double strike[n],
                   const double years[n], double call[n])
{
    // warplens: n = 4194304
    for (int i = 0; i < n; i++) {
        double s = price[i] + 2, k = strike[i] + 2, t = years[i] + 2;
        double v = (1 + volatility * volatility) * sqrt(t);
        double d1 = (log(s / k) + (rate + 0.5) * t) / v, d2 = d1 - v;
        call[i] = s / (1 + exp(-1.6 * d1)) - k * exp(-rate * rate * t) / (1 + exp(-1.6 * d2));
    }
}
