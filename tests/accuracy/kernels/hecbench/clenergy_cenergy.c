/* HeCBench clenergy-cuda, kernel cenergy (University of Illinois/NCSA, (c) 2007 University of Illinois). blocks_x is gridDim.x,
   bx blockIdx.x and tx threadIdx.x. */
#define UNROLLX 8
#define BLOCKSIZEX 8
struct float4 {
    float x, y, z, w;
};
float rsqrtf(float x);
void cenergy(const unsigned blocks_x, const unsigned rows, const int numatoms, const float gridspacing, float *energygrid,
             const struct float4 *atominfo)
{
    for (unsigned yindex = 0; yindex < rows; yindex++)
        for (unsigned bx = 0; bx < blocks_x; bx++)
            for (unsigned tx = 0; tx < BLOCKSIZEX; tx++) {
                unsigned xindex = bx * BLOCKSIZEX * UNROLLX + tx;
                unsigned outaddr = (blocks_x * BLOCKSIZEX * UNROLLX) * yindex + xindex;

                float coory = gridspacing * yindex;
                float coorx = gridspacing * xindex;

                float energyvalx1 = 0.0f;
                float energyvalx2 = 0.0f;
                float energyvalx3 = 0.0f;
                float energyvalx4 = 0.0f;
                float energyvalx5 = 0.0f;
                float energyvalx6 = 0.0f;
                float energyvalx7 = 0.0f;
                float energyvalx8 = 0.0f;

                float gridspacing_u = gridspacing * BLOCKSIZEX;

                int atomid;
                for (atomid = 0; atomid < numatoms; atomid++) {
                    float dy = coory - atominfo[atomid].y;
                    float dyz2 = (dy * dy) + atominfo[atomid].z;

                    float dx1 = coorx - atominfo[atomid].x;
                    float dx2 = dx1 + gridspacing_u;
                    float dx3 = dx2 + gridspacing_u;
                    float dx4 = dx3 + gridspacing_u;
                    float dx5 = dx4 + gridspacing_u;
                    float dx6 = dx5 + gridspacing_u;
                    float dx7 = dx6 + gridspacing_u;
                    float dx8 = dx7 + gridspacing_u;

                    energyvalx1 += atominfo[atomid].w * rsqrtf(dx1 * dx1 + dyz2);
                    energyvalx2 += atominfo[atomid].w * rsqrtf(dx2 * dx2 + dyz2);
                    energyvalx3 += atominfo[atomid].w * rsqrtf(dx3 * dx3 + dyz2);
                    energyvalx4 += atominfo[atomid].w * rsqrtf(dx4 * dx4 + dyz2);
                    energyvalx5 += atominfo[atomid].w * rsqrtf(dx5 * dx5 + dyz2);
                    energyvalx6 += atominfo[atomid].w * rsqrtf(dx6 * dx6 + dyz2);
                    energyvalx7 += atominfo[atomid].w * rsqrtf(dx7 * dx7 + dyz2);
                    energyvalx8 += atominfo[atomid].w * rsqrtf(dx8 * dx8 + dyz2);
                }

                energygrid[outaddr] += energyvalx1;
                energygrid[outaddr + 1 * BLOCKSIZEX] += energyvalx2;
                energygrid[outaddr + 2 * BLOCKSIZEX] += energyvalx3;
                energygrid[outaddr + 3 * BLOCKSIZEX] += energyvalx4;
                energygrid[outaddr + 4 * BLOCKSIZEX] += energyvalx5;
                energygrid[outaddr + 5 * BLOCKSIZEX] += energyvalx6;
                energygrid[outaddr + 6 * BLOCKSIZEX] += energyvalx7;
                energygrid[outaddr + 7 * BLOCKSIZEX] += energyvalx8;
            }
}
