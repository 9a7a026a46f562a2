/* HeCBench ace, kernel boundaryConditionsPhi (BSD-3-Clause). */
#define DATAXSIZE 400
#define DATAYSIZE 400
#define DATAZSIZE 400

void boundaryConditionsPhi(double phinew[][DATAYSIZE][DATAZSIZE])
{
    for (unsigned ix = 0; ix < DATAXSIZE; ix++)
        for (unsigned iy = 0; iy < DATAYSIZE; iy++)
            for (unsigned iz = 0; iz < DATAZSIZE; iz++) {
                if (ix == 0) {
                    phinew[ix][iy][iz] = -1.0;
                }
                else if (ix == DATAXSIZE-1) {
                    phinew[ix][iy][iz] = -1.0;
                }
                else if (iy == 0) {
                    phinew[ix][iy][iz] = -1.0;
                }
                else if (iy == DATAYSIZE-1) {
                    phinew[ix][iy][iz] = -1.0;
                }
                else if (iz == 0) {
                    phinew[ix][iy][iz] = -1.0;
                }
                else if (iz == DATAZSIZE-1) {
                    phinew[ix][iy][iz] = -1.0;
                }
            }
}
