void gather(long n, const int *restrict at, const double *restrict a, double *restrict b) {
    for (long i = 0; i < n; i++) b[i] = a[at[i]];
}
void scatter(long n, const int *restrict at, const float *restrict a, float *restrict b) {
    for (long i = 0; i < n; i++) b[at[i]] = a[i];
}
void spmv(long n, const int *restrict row, const int *restrict column, const double *restrict value,
          const double *restrict x, double *restrict y) {
    for (long i = 0; i < n; i++) {
        double sum = 0.0;
        for (int k = row[i]; k < row[i + 1]; k++) sum += value[k] * x[column[k]];
        y[i] = sum;
    }
}
void histogram_byte(long n, const unsigned char *restrict a, int *restrict bins) {
    for (long i = 0; i < n; i++) bins[a[i]]++;
}
void histogram_int(long n, const int *restrict a, int *restrict bins) {
    for (long i = 0; i < n; i++) bins[a[i]] += 1;
}
double indirect_sum(long n, const int *at, const double *a) {
    double sum = 0.0;
    for (long i = 0; i < n; i++) sum += a[at[i]];
    return sum;
}
void edges(long n, const int *restrict from, const int *restrict to, const float *restrict x, float *restrict d) {
    for (long i = 0; i < n; i++) d[i] = x[to[i]] - x[from[i]];
}
int chase(long n, const int *next) {
    int at = 0;
    for (long i = 0; i < n; i++) at = next[at];
    return at;
}
