/* A sparse matrix times a vector, rows of different lengths. */
void csr(int n, int entries, const int row[n + 1], const int column[entries], const float value[entries],
         const float x[n], float y[n])
{
    // warplens: n = 1048576, entries = 16777216
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int k = row[i]; k < row[i + 1]; k++)
            sum += value[k] * x[column[k]];
        y[i] = sum;
    }
}
