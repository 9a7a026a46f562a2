/* HeCBench projectile-cuda, kernel CalculateRange (BSD-3-Clause; MIT, Intel Corporation). */
#include <math.h>

typedef struct {
    float m_angle_;
    float m_velocity_;
    float m_range_;
    float m_totalTime_;
    float m_maxHeight_;
} Projectile;

static const float kPIValue = 3.1415;
static const float kGValue = 9.81;

void CalculateRange(const Projectile *obj, Projectile *pObj, int num_elements)
{
    for (int i = 0; i < num_elements; i++) {
        float proj_angle = obj[i].m_angle_;
        float proj_vel = obj[i].m_velocity_;
        float sin_value = sinf(proj_angle * kPIValue / 180.0f);
        float cos_value = cosf(proj_angle * kPIValue / 180.0f);
        float total_time = fabsf((2 * proj_vel * sin_value)) / kGValue;
        float max_range = fabsf(proj_vel * total_time * cos_value);
        float max_height = (proj_vel * proj_vel * sin_value * sin_value) / 2.0f * kGValue;

        pObj[i].m_range_ = max_range;
        pObj[i].m_totalTime_ = total_time;
        pObj[i].m_angle_ = proj_angle;
        pObj[i].m_velocity_ = proj_vel;
        pObj[i].m_maxHeight_ = max_height;
    }
}
