/* HeCBench relu, kernel Relu_impl1 (BSD-3-Clause). */
struct uint4 { unsigned int x, y, z, w; };
struct char4 { signed char x, y, z, w; };

static int max(int a, int b)
{
    return a > b ? a : b;
}

void Relu_impl1(int count, const int *input, int *output)
{
    for (int index = 0; index < count; index++) {
        struct uint4 v;
        struct char4 b;
        b.x = input[index] & 0xFF;
        b.y = (input[index] >> 8) & 0xFF;
        b.z = (input[index] >> 16) & 0xFF;
        b.w = (input[index] >> 24) & 0xFF;
        v.x = max(b.x, 0);
        v.y = max(b.y, 0);
        v.z = max(b.z, 0);
        v.w = max(b.w, 0);
        output[index] = v.w << 24 | v.z << 16 | v.y << 8 | v.x;
    }
}
