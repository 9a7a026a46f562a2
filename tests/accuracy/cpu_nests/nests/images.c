typedef unsigned char byte;
void blur_3x3(int n, const byte *restrict in, byte *restrict out) {
    for (int y = 1; y < n - 1; y++)
        for (int x = 1; x < n - 1; x++) {
            int sum = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) sum += in[(y + dy) * n + x + dx];
            out[y * n + x] = sum / 9;
        }
}
void gauss_3x3(long n, const byte *restrict in, byte *restrict out) {
    for (long y = 1; y < n - 1; y++)
        for (long x = 1; x < n - 1; x++)
            out[y * n + x] = (in[(y - 1) * n + x - 1] + 2 * in[(y - 1) * n + x] + in[(y - 1) * n + x + 1] +
                              2 * in[y * n + x - 1] + 4 * in[y * n + x] + 2 * in[y * n + x + 1] +
                              in[(y + 1) * n + x - 1] + 2 * in[(y + 1) * n + x] + in[(y + 1) * n + x + 1] + 8) >>
                             4;
}
void blur_5x5(int n, const byte *restrict in, byte *restrict out) {
    for (int y = 2; y < n - 2; y++)
        for (int x = 2; x < n - 2; x++) {
            int sum = 0;
            for (int dy = -2; dy <= 2; dy++)
                for (int dx = -2; dx <= 2; dx++) sum += in[(y + dy) * n + x + dx];
            out[y * n + x] = sum / 25;
        }
}
void filter_5x5(long n, const byte *restrict in, const int *restrict w, byte *restrict out) {
    for (long y = 2; y < n - 2; y++)
        for (long x = 2; x < n - 2; x++) {
            int sum = 0;
            for (int dy = 0; dy < 5; dy++)
                for (int dx = 0; dx < 5; dx++) sum += w[dy * 5 + dx] * in[(y + dy - 2) * n + x + dx - 2];
            out[y * n + x] = sum >> 8;
        }
}
void sobel(int n, const byte *restrict in, byte *restrict out) {
    for (int y = 1; y < n - 1; y++)
        for (int x = 1; x < n - 1; x++) {
            int gx = in[(y - 1) * n + x + 1] + 2 * in[y * n + x + 1] + in[(y + 1) * n + x + 1] -
                     in[(y - 1) * n + x - 1] - 2 * in[y * n + x - 1] - in[(y + 1) * n + x - 1];
            int gy = in[(y + 1) * n + x - 1] + 2 * in[(y + 1) * n + x] + in[(y + 1) * n + x + 1] -
                     in[(y - 1) * n + x - 1] - 2 * in[(y - 1) * n + x] - in[(y - 1) * n + x + 1];
            int size = (gx < 0 ? -gx : gx) + (gy < 0 ? -gy : gy);
            out[y * n + x] = size > 255 ? 255 : size;
        }
}
void lookup(long n, const byte *restrict in, const byte *restrict table, byte *restrict out) {
    for (long i = 0; i < n; i++) out[i] = table[in[i]];
}
void threshold(long n, const byte *restrict in, byte *restrict out, int limit) {
    for (long i = 0; i < n; i++) out[i] = in[i] > limit ? 255 : 0;
}
void grey(long n, const byte *restrict rgb, byte *restrict out) {
    for (long i = 0; i < n; i++) out[i] = (77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8;
}
void brighten(long n, const byte *restrict in, byte *restrict out, int by) {
    for (long i = 0; i < n; i++) {
        int v = in[i] + by;
        out[i] = v > 255 ? 255 : v < 0 ? 0 : v;
    }
}
void blend(long n, const byte *restrict a, const byte *restrict b, byte *restrict out, int alpha) {
    for (long i = 0; i < n; i++) out[i] = (alpha * a[i] + (256 - alpha) * b[i]) >> 8;
}
void erode(int n, const byte *restrict in, byte *restrict out) {
    for (int y = 1; y < n - 1; y++)
        for (int x = 0; x < n; x++) {
            byte low = in[(y - 1) * n + x];
            if (in[y * n + x] < low) low = in[y * n + x];
            if (in[(y + 1) * n + x] < low) low = in[(y + 1) * n + x];
            out[y * n + x] = low;
        }
}
void invert(long n, byte *a) {
    for (long i = 0; i < n; i++) a[i] = 255 - a[i];
}
void to_float(long n, const byte *restrict in, float *restrict out) {
    for (long i = 0; i < n; i++) out[i] = in[i] * 0.00392f;
}
void filter_3x3_float(long n, const float *restrict in, const float *restrict w, float *restrict out) {
    for (long y = 1; y < n - 1; y++)
        for (long x = 1; x < n - 1; x++) {
            float sum = 0.0f;
            for (int dy = 0; dy < 3; dy++)
                for (int dx = 0; dx < 3; dx++) sum += w[dy * 3 + dx] * in[(y + dy - 1) * n + x + dx - 1];
            out[y * n + x] = sum;
        }
}
