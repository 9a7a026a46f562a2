/* Rows of an n x n matrix become columns. */
void transpose(int n, const float *restrict a, float *restrict c) {
    for (int row = 0; row < n; row++)
        for (int column = 0; column < n; column++)
            c[(long)column * n + row] = a[(long)row * n + column];
}
