/* HeCBench popcount-cuda, kernel pc1 (BSD-3-Clause). */
#define m1 0x5555555555555555
#define m2 0x3333333333333333
#define m4 0x0f0f0f0f0f0f0f0f
void pc1(const unsigned long *restrict data, int *restrict r, const int length)
{
    for (int i = 0; i < length; i++) {
        unsigned long x = data[i];
        x -= (x >> 1) & m1;
        x = (x & m2) + ((x >> 2) & m2);
        x = (x + (x >> 4)) & m4;
        x += x >> 8;
        x += x >> 16;
        x += x >> 32;
        r[i] = x & 0x7f;
    }
}
