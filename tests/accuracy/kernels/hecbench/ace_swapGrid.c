/* HeCBench ace, kernel swapGrid (BSD-3-Clause). */
#define DATAXSIZE 400
#define DATAYSIZE 400
#define DATAZSIZE 400

void swapGrid(double cnew[][DATAYSIZE][DATAZSIZE], double cold[][DATAYSIZE][DATAZSIZE])
{
    for (unsigned ix = 0; ix < DATAXSIZE; ix++)
        for (unsigned iy = 0; iy < DATAYSIZE; iy++)
            for (unsigned iz = 0; iz < DATAZSIZE; iz++) {
                double tmp = cnew[ix][iy][iz];
                cnew[ix][iy][iz] = cold[ix][iy][iz];
                cold[ix][iy][iz] = tmp;
            }
}
