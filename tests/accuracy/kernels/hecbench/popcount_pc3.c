/* HeCBench popcount-cuda, kernel pc3 (BSD-3-Clause). */
void pc3(const unsigned long *restrict data, int *restrict r, const int length)
{
    for (int i = 0; i < length; i++) {
        char count;
        unsigned long x = data[i];
        for (count = 0; x; count++)
            x &= x - 1;
        r[i] = count;
    }
}
