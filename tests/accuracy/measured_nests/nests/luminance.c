/* Bytes in, bytes out. */
void luminance(int n, const unsigned char rgb[n][3], unsigned char grey[n])
{
    // warplens: n = 33554432
    for (int i = 0; i < n; i++)
        grey[i] = (77 * rgb[i][0] + 150 * rgb[i][1] + 29 * rgb[i][2]) >> 8;
}
