/* An array of each iteration's own whose subscripts come from memory. */
void local_array(int threads, int n, const float *restrict a, const int *restrict chain, float *restrict c) {
    for (int i = 0; i < threads; i++) {
        float own[256];
        for (int k = 0; k < 256; k++)
            own[k] = a[i] + k;
        for (int k = 0; k < n; k++)
            own[chain[k] & 255] += own[(chain[k] >> 8) & 255];
        float all = 0;
        for (int k = 0; k < 256; k++)
            all += own[k];
        c[i] = all;
    }
}
