void add_short(long n, const short *restrict a, const short *restrict b, short *restrict c) {
    for (long i = 0; i < n; i++) c[i] = a[i] + b[i];
}
void multiply_int(long n, const int *restrict a, const int *restrict b, int *restrict c) {
    for (long i = 0; i < n; i++) c[i] = a[i] * b[i] + 3;
}
void multiply_long(long n, const long *restrict a, const long *restrict b, long *restrict c) {
    for (long i = 0; i < n; i++) c[i] = a[i] * b[i];
}
void mix_bits(long n, const unsigned *restrict a, unsigned *restrict b) {
    for (long i = 0; i < n; i++) {
        unsigned v = a[i];
        v ^= v >> 16;
        v *= 0x45d9f3bu;
        v ^= v >> 16;
        b[i] = v;
    }
}
int absolute_differences(long n, const unsigned char *a, const unsigned char *b) {
    int sum = 0;
    for (long i = 0; i < n; i++) {
        int d = a[i] - b[i];
        sum += d < 0 ? -d : d;
    }
    return sum;
}
void average_bytes(long n, const unsigned char *restrict a, const unsigned char *restrict b, unsigned char *restrict c) {
    for (long i = 0; i < n; i++) c[i] = (a[i] + b[i] + 1) >> 1;
}
void scale_short(long n, const short *restrict a, short *restrict b, int gain) {
    for (long i = 0; i < n; i++) b[i] = (a[i] * gain) >> 12;
}
void int_to_double(long n, const int *restrict a, double *restrict b) {
    for (long i = 0; i < n; i++) b[i] = a[i] * 0.25;
}
void double_to_int(long n, const double *restrict a, int *restrict b) {
    for (long i = 0; i < n; i++) b[i] = (int)(a[i] * 100.0);
}
void bits_set(long n, const unsigned *restrict a, int *restrict b) {
    for (long i = 0; i < n; i++) {
        unsigned v = a[i];
        v = v - ((v >> 1) & 0x55555555u);
        v = (v & 0x33333333u) + ((v >> 2) & 0x33333333u);
        b[i] = (((v + (v >> 4)) & 0x0f0f0f0fu) * 0x01010101u) >> 24;
    }
}
