/* An array of structures is stepped. */
struct particle {
    float x, y, z, vx, vy, vz, mass, charge;
};
void particles(int n, float dt, struct particle p[n])
{
    // warplens: n = 8388608
    for (int i = 0; i < n; i++) {
        p[i].x += dt * p[i].vx;
        p[i].y += dt * p[i].vy;
        p[i].z += dt * p[i].vz;
    }
}
