/* PolyBench's multiresolution kernel, into a second array. */
void doitgen(int r, int q, int p, const double a[r][q][p], const double c4[p][p], double out[r][q][p])
{
    // warplens: r = 256, q = 256, p = 128
    for (int i = 0; i < r; i++)
        for (int j = 0; j < q; j++)
            for (int k = 0; k < p; k++) {
                double sum = 0;
                for (int s = 0; s < p; s++)
                    sum += a[i][j][s] * c4[s][k];
                out[i][j][k] = sum;
            }
}
