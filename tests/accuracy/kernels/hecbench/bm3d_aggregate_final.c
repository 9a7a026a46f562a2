/* HeCBench bm3d, kernel aggregate_final (BSD-3-Clause). */
#include <math.h>
typedef unsigned int uint;
typedef unsigned char uchar;
typedef struct { unsigned int x, y; } uint2;
#define idx2(x,y,dim_x) ( (x) + ((y)*(dim_x)) )

void aggregate_final(const float *restrict numerator, const float *restrict denominator, const uint2 image_dim,
                     uchar *restrict result)
{
    for (uint idy = 0; idy < image_dim.y; idy++)
        for (uint idx = 0; idx < image_dim.x; idx++) {
            int value = lrintf(numerator[ idx2(idx,idy,image_dim.x) ] / denominator[ idx2(idx,idy,image_dim.x) ] );
            if (value < 0) value = 0;
            if (value > 255) value = 255;
            result[ idx2(idx,idy,image_dim.x) ] = (uchar)value;
        }
}
