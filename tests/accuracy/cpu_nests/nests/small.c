void rotate_points(long n, const float *restrict m, const float *restrict in, float *restrict out) {
    for (long i = 0; i < n; i++)
        for (int r = 0; r < 3; r++) {
            float sum = 0.0f;
            for (int c = 0; c < 3; c++) sum += m[r * 3 + c] * in[3 * i + c];
            out[3 * i + r] = sum;
        }
}
void multiply_4x4(long n, const float *restrict a, const float *restrict b, float *restrict c) {
    for (long m = 0; m < n; m++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                float sum = 0.0f;
                for (int k = 0; k < 4; k++) sum += a[m * 16 + i * 4 + k] * b[m * 16 + k * 4 + j];
                c[m * 16 + i * 4 + j] = sum;
            }
}
void fir_8(long n, const float *restrict x, const float *restrict h, float *restrict y) {
    for (long i = 0; i < n; i++) {
        float sum = 0.0f;
        for (int k = 0; k < 8; k++) sum += h[k] * x[i + k];
        y[i] = sum;
    }
}
void fir_any(long n, int taps, const double *restrict x, const double *restrict h, double *restrict y) {
    for (long i = 0; i < n; i++) {
        double sum = 0.0;
        for (int k = 0; k < taps; k++) sum += h[k] * x[i + k];
        y[i] = sum;
    }
}
void nearest(int n, int centres, const float *restrict p, const float *restrict c, int *restrict at) {
    for (int i = 0; i < n; i++) {
        float best = 1e30f;
        int which = 0;
        for (int k = 0; k < centres; k++) {
            float d = (p[i] - c[k]) * (p[i] - c[k]);
            if (d < best) {
                best = d;
                which = k;
            }
        }
        at[i] = which;
    }
}
