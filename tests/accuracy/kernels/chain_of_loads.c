/* Each iteration follows a chain through 128 MiB. */
void chain_of_loads(int threads, int n, const int chain[restrict 1 << 25], float *restrict c) {
    for (int i = 0; i < threads; i++) {
        int place = (int)(i * 997l % (1 << 25));
        for (int k = 0; k < n / 8; k++)
            place = chain[place];
        c[i] = (float)place;
    }
}
