/* One iteration in 32 has a long inner loop, the others a short one. */
void divergent(int threads, int n, const float *restrict a, float *restrict c) {
    for (int i = 0; i < threads; i++) {
        float value = a[i];
        int trips = i % 32 == 0 ? n : i % 32;
        for (int k = 0; k < trips; k++)
            value = value * 1.0001f + 0.5f;
        c[i] = value;
    }
}
