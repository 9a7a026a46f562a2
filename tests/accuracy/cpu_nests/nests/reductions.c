double sum_double(long n, const double *a) {
    double sum = 0.0;
    for (long i = 0; i < n; i++) sum += a[i];
    return sum;
}
float dot_float(long n, const float *a, const float *b) {
    float sum = 0.0f;
    for (long i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}
double dot_double(int n, const double *a, const double *b) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}
int sum_int(long n, const int *a) {
    int sum = 0;
    for (long i = 0; i < n; i++) sum += a[i];
    return sum;
}
long sum_int_to_long(long n, const int *a) {
    long sum = 0;
    for (long i = 0; i < n; i++) sum += a[i];
    return sum;
}
int sum_byte(long n, const unsigned char *a) {
    int sum = 0;
    for (long i = 0; i < n; i++) sum += a[i];
    return sum;
}
int dot_short(long n, const short *a, const short *b) {
    int sum = 0;
    for (long i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}
double max_double(long n, const double *a) {
    double best = a[0];
    for (long i = 1; i < n; i++)
        if (a[i] > best) best = a[i];
    return best;
}
int min_int(long n, const int *a) {
    int best = a[0];
    for (long i = 1; i < n; i++) best = a[i] < best ? a[i] : best;
    return best;
}
double squared_distance(long n, const double *a, const double *b) {
    double sum = 0.0;
    for (long i = 0; i < n; i++) {
        double d = a[i] - b[i];
        sum += d * d;
    }
    return sum;
}
double sum_float_to_double(long n, const float *a) {
    double sum = 0.0;
    for (long i = 0; i < n; i++) sum += a[i];
    return sum;
}
int count_above(long n, const float *a, float limit) {
    int count = 0;
    for (long i = 0; i < n; i++)
        if (a[i] > limit) count++;
    return count;
}
unsigned xor_all(long n, const unsigned *a) {
    unsigned all = 0;
    for (long i = 0; i < n; i++) all ^= a[i];
    return all;
}
