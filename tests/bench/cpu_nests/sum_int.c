int sum_int(long n, const int *a) {
    int sum = 0;
    for (long i = 0; i < n; i++) sum += a[i];
    return sum;
}
