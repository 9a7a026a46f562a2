/* Electrostatic potential of point charges at the points of a cubic lattice (direct Coulomb sum). */
float rsqrtf(float x);
void coulomb(int n, int atoms, float spacing, const float *restrict ax, const float *restrict ay,
             const float *restrict az, const float *restrict charge, float *restrict energy) {
    for (int z = 0; z < n; z++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                float e = 0;
                for (int a = 0; a < atoms; a++) {
                    float dx = spacing * x - ax[a];
                    float dy = spacing * y - ay[a];
                    float dz = spacing * z - az[a];
                    e += charge[a] * rsqrtf(dx * dx + dy * dy + dz * dz);
                }
                energy[(z * n + y) * n + x] += e;
            }
}
