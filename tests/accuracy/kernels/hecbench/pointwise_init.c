/* HeCBench pointwise-cuda, kernel init (BSD-3-Clause, NVIDIA Corporation). */
static float LCG_random(unsigned int *seed)
{
    const unsigned int m = 2147483648;
    const unsigned int a = 26757677;
    const unsigned int c = 1;
    *seed = (a * (*seed) + c) % m;
    return (float)(*seed) / (float)m;
}

void init(float *data, int size)
{
    for (int index = 0; index < size; index++) {
        unsigned int seed = index ^ size;
        data[index] = LCG_random(&seed);
    }
}
