/* HeCBench particles, kernel collideK (BSD-3-Clause). */
#include <math.h>
typedef struct { float x, y, z; } float3;
typedef struct { float x, y, z, w; } float4;
typedef struct { int x, y, z, w; } int4;
typedef struct { unsigned int x, y, z; } uint3;

#define UMAD(a, b, c)  ( (a) * (b) + (c) )

typedef struct {
    float3 colliderPos;
    float  colliderRadius;

    float3 gravity;
    float globalDamping;
    float particleRadius;

    uint3 gridSize;
    unsigned int numCells;
    float3 worldOrigin;
    float3 cellSize;

    unsigned int numBodies;
    unsigned int maxParticlesPerCell;

    float spring;
    float damping;
    float shear;
    float attraction;
    float boundaryDamping;
} simParams_t;

static int4 getGridPos(const float4 p, const simParams_t params)
{
    int4 gridPos;
    gridPos.x = (int)floorf((p.x - params.worldOrigin.x) / params.cellSize.x);
    gridPos.y = (int)floorf((p.y - params.worldOrigin.y) / params.cellSize.y);
    gridPos.z = (int)floorf((p.z - params.worldOrigin.z) / params.cellSize.z);
    gridPos.w = 0;
    return gridPos;
}

static float4 collideSpheres(float4 posA, float4 posB, float4 velA, float4 velB, float radiusA, float radiusB,
                             float spring, float damping, float shear, float attraction)
{
    float4 relPos = {posB.x - posA.x, posB.y - posA.y, posB.z - posA.z, 0};
    float dist = sqrtf(relPos.x * relPos.x + relPos.y * relPos.y + relPos.z * relPos.z);
    float collideDist = radiusA + radiusB;

    float4 force = {0, 0, 0, 0};
    if (dist < collideDist) {
        float4 norm = {relPos.x / dist, relPos.y / dist, relPos.z / dist, 0};

        float4 relVel = {velB.x - velA.x, velB.y - velA.y, velB.z - velA.z, 0};

        float relVelDotNorm = relVel.x * norm.x + relVel.y * norm.y + relVel.z * norm.z;
        float4 tanVel = {relVel.x - relVelDotNorm * norm.x, relVel.y - relVelDotNorm * norm.y,
                         relVel.z - relVelDotNorm * norm.z, 0};

        float springFactor = -spring * (collideDist - dist);
        force.x = springFactor * norm.x + damping * relVel.x + shear * tanVel.x + attraction * relPos.x;
        force.y = springFactor * norm.y + damping * relVel.y + shear * tanVel.y + attraction * relPos.y;
        force.z = springFactor * norm.z + damping * relVel.z + shear * tanVel.z + attraction * relPos.z;
        force.w = 0;
    }

    return force;
}

void collideK(float4 *restrict d_Vel, const float4 *restrict d_ReorderedPos, const float4 *restrict d_ReorderedVel,
              const unsigned int *restrict d_Index, const unsigned int *restrict d_CellStart,
              const unsigned int *restrict d_CellEnd, const simParams_t params, const unsigned int numParticles)
{
    // warplens: d_Index has no repeats
    for (unsigned int index = 0; index < numParticles; index++) {
        float4 pos = d_ReorderedPos[index];
        float4 vel = d_ReorderedVel[index];
        float4 force = {0, 0, 0, 0};

        int4 gridPos = getGridPos(pos, params);

        for (int z = -1; z <= 1; z++)
            for (int y = -1; y <= 1; y++)
                for (int x = -1; x <= 1; x++) {
                    int tx = (gridPos.x + x) & (params.gridSize.x - 1);
                    int ty = (gridPos.y + y) & (params.gridSize.y - 1);
                    int tz = (gridPos.z + z) & (params.gridSize.z - 1);
                    unsigned int hash = UMAD( UMAD(tz, params.gridSize.y, ty), params.gridSize.x, tx );
                    unsigned int startI = d_CellStart[hash];

                    if (startI == 0xFFFFFFFFU) continue;

                    unsigned int endI = d_CellEnd[hash];
                    for (unsigned int j = startI; j < endI; j++) {
                        if (j == index) continue;

                        float4 pos2 = d_ReorderedPos[j];
                        float4 vel2 = d_ReorderedVel[j];

                        float4 f = collideSpheres(pos, pos2, vel, vel2, params.particleRadius, params.particleRadius,
                                                  params.spring, params.damping, params.shear, params.attraction);
                        force.x += f.x;
                        force.y += f.y;
                        force.z += f.z;
                        force.w += f.w;
                    }
                }

        float4 collider = {params.colliderPos.x, params.colliderPos.y, params.colliderPos.z, 0};
        float4 still = {0, 0, 0, 0};
        float4 f = collideSpheres(pos, collider, vel, still, params.particleRadius, params.colliderRadius,
                                  params.spring, params.damping, params.shear, params.attraction);
        force.x += f.x;
        force.y += f.y;
        force.z += f.z;
        force.w += f.w;

        float4 sum = {vel.x + force.x, vel.y + force.y, vel.z + force.z, vel.w + force.w};
        d_Vel[d_Index[index]] = sum;
    }
}
