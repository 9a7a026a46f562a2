/* Eight independent chains of multiply-adds. */
void fma_chains(int threads, int n, const float *restrict a, float *restrict c) {
    for (int i = 0; i < threads; i++) {
        float x = a[i];
        float s0 = x, s1 = x + 1, s2 = x + 2, s3 = x + 3, s4 = x + 4, s5 = x + 5, s6 = x + 6, s7 = x + 7;
        for (int k = 0; k < n; k++) {
            s0 = s0 * 1.0001f + 0.5f;
            s1 = s1 * 1.0001f + 0.5f;
            s2 = s2 * 1.0001f + 0.5f;
            s3 = s3 * 1.0001f + 0.5f;
            s4 = s4 * 1.0001f + 0.5f;
            s5 = s5 * 1.0001f + 0.5f;
            s6 = s6 * 1.0001f + 0.5f;
            s7 = s7 * 1.0001f + 0.5f;
        }
        c[i] = s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7;
    }
}
