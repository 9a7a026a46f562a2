/* Many products of small matrices. */
void small_gemms(int count, const float a[count][16][16], const float b[count][16][16], float c[count][16][16])
{
    // warplens: count = 16384
    for (int g = 0; g < count; g++)
        for (int i = 0; i < 16; i++)
            for (int j = 0; j < 16; j++) {
                float sum = 0;
                for (int k = 0; k < 16; k++)
                    sum += a[g][i][k] * b[g][k][j];
                c[g][i][j] = sum;
            }
}
