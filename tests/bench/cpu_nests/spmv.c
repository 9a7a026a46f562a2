void spmv(long n, const int *restrict row, const int *restrict column, const double *restrict value,
          const double *restrict x, double *restrict y) {
    for (long i = 0; i < n; i++) {
        double sum = 0.0;
        for (int k = row[i]; k < row[i + 1]; k++) sum += value[k] * x[column[k]];
        y[i] = sum;
    }
}
