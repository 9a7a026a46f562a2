/* HeCBench nn-cuda, kernel nn (BSD-3-Clause). */
#include <math.h>
struct latLong {
    float lat;
    float lng;
};
void nn(const int numRecords, const float lat, const float lng, const struct latLong *restrict locations,
        float *restrict distances)
{
    for (int gid = 0; gid < numRecords; gid++) {
        struct latLong latLong = locations[gid];
        distances[gid] =
            sqrtf((lat - latLong.lat) * (lat - latLong.lat) + (lng - latLong.lng) * (lng - latLong.lng));
    }
}
