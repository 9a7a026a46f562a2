void mandelbrot(int n, int most, int *out) {
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            double cr = -0.1 + 0.1 * x / n, ci = -0.1 + 0.1 * y / n, zr = 0.0, zi = 0.0;
            int k = 0;
            while (k < most && zr * zr + zi * zi < 4.0) {
                double t = zr * zr - zi * zi + cr;
                zi = 2.0 * zr * zi + ci;
                zr = t;
                k++;
            }
            out[y * n + x] = k;
        }
}
void julia_float(int n, int most, int *out) {
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            float zr = 0.2f * x / n, zi = 0.2f * y / n;
            int k;
            for (k = 0; k < most; k++) {
                float r2 = zr * zr, i2 = zi * zi;
                if (r2 + i2 > 4.0f) break;
                zi = 2.0f * zr * zi + 0.05f;
                zr = r2 - i2 - 0.1f;
            }
            out[y * n + x] = k;
        }
}
void iir_first(long n, double a, const double *restrict x, double *restrict y) {
    double s = 0.0;
    for (long i = 0; i < n; i++) {
        s = a * s + (1.0 - a) * x[i];
        y[i] = s;
    }
}
void biquad(long n, const float *restrict x, float *restrict y) {
    float x1 = 0.0f, x2 = 0.0f, y1 = 0.0f, y2 = 0.0f;
    for (long i = 0; i < n; i++) {
        float v = 0.2f * x[i] + 0.4f * x1 + 0.2f * x2 + 0.3f * y1 - 0.1f * y2;
        x2 = x1;
        x1 = x[i];
        y2 = y1;
        y1 = v;
        y[i] = v;
    }
}
void prefix_sum_int(long n, const int *restrict a, int *restrict b) {
    int sum = 0;
    for (long i = 0; i < n; i++) {
        sum += a[i];
        b[i] = sum;
    }
}
void prefix_sum_double(long n, const double *restrict a, double *restrict b) {
    b[0] = a[0];
    for (long i = 1; i < n; i++) b[i] = b[i - 1] + a[i];
}
unsigned lfsr(long n, unsigned state) {
    for (long i = 0; i < n; i++) state = (state >> 1) ^ (-(state & 1u) & 0xd0000001u);
    return state;
}
void lcg(long n, unsigned seed, unsigned *out) {
    for (long i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        out[i] = seed;
    }
}
double horner(long n, const double *c, double x) {
    double value = 0.0;
    for (long i = 0; i < n; i++) value = value * x + c[i];
    return value;
}
void polynomial(long n, const double *restrict x, double *restrict y) {
    for (long i = 0; i < n; i++) {
        double v = x[i];
        y[i] = ((((0.1 * v + 0.2) * v + 0.3) * v + 0.4) * v + 0.5) * v + 0.6;
    }
}
unsigned hash_bytes(long n, const unsigned char *text) {
    unsigned hash = 5381u;
    for (long i = 0; i < n; i++) hash = hash * 33u + text[i];
    return hash;
}
double newton(long n, double a) {
    double x = a;
    for (long i = 0; i < n; i++) x = 0.5 * (x + a / x);
    return x;
}
void xorshift(long n, unsigned long state, unsigned long *out) {
    for (long i = 0; i < n; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        out[i] = state;
    }
}
void smooth_in_place(long n, double *a) {
    for (long i = 1; i < n; i++) a[i] = 0.5 * a[i] + 0.5 * a[i - 1];
}
void tridiagonal(long n, const double *restrict l, const double *restrict d, const double *restrict u,
                 const double *restrict b, double *restrict c, double *restrict x) {
    for (long i = 1; i < n; i++) {
        double m = 1.0 / (d[i] - l[i] * c[i - 1]);
        c[i] = u[i] * m;
        x[i] = (b[i] - l[i] * x[i - 1]) * m;
    }
}
