/* A sparse matrix times a vector, as many entries in each row. */
void ellpack(int n, int width, const float value[width][n], const int column[width][n], const float x[n], float y[n])
{
    // warplens: n = 1048576, width = 16
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int k = 0; k < width; k++)
            sum += value[k][i] * x[column[k][i]];
        y[i] = sum;
    }
}
