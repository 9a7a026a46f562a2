/* HeCBench depixel-cuda, kernel check_connect (BSD-3-Clause). */
#include <math.h>

int abs(int);

typedef struct {
    float x, y, z;
} float3;

static float __saturatef(float x)
{
    return fminf(fmaxf(x, 0.f), 1.f);
}

static unsigned rgbToyuv(float3 rgba)
{
  float3 yuv;
  yuv.x = 0.299f*rgba.x + 0.587f*rgba.y+0.114f*rgba.z;
  yuv.y = 0.713f*(rgba.x - yuv.x) + 0.5f;
  yuv.z = 0.564f*(rgba.z - yuv.x) + 0.5f;
  yuv.x = __saturatef(yuv.x);
  yuv.y = __saturatef(yuv.y);
  yuv.z = __saturatef(yuv.z);
  return ((unsigned)(255)<<24) | ((unsigned)(yuv.z*255.f) << 16) | ((unsigned)(yuv.y*255.f) << 8) | (unsigned)(yuv.x*255.f);
}

static int isConnected(unsigned lnode, unsigned rnode)
{
  int ly = lnode & 0xff;
  int lu = ((lnode>>8) & 0xff);
  int lv = ((lnode>>16) & 0xff);
  int ry = rnode & 0xff;
  int ru = ((rnode>>8) & 0xff);
  int rv = ((rnode>>16) & 0xff);
  return !((abs(ly-ry) > 48) || (abs(lu-ru) > 7) || (abs(lv-rv) > 6));
}

void check_connect(
  const float3 *restrict rgba,
          unsigned *restrict connect,
  const int w, const int h)
{
  for (unsigned int center = 0; center < w * h; center++) {
    int row = center/w;
    int column = center%w;
    int neibor_row, neibor_column;
    unsigned char con = 0;
    unsigned yuv_c = rgbToyuv(rgba[center]);

    neibor_row = (row>0&&column>0)?(row-1):row;
    neibor_column = (column>0&&row>0)?(column-1):column;
    unsigned yuv_ul = rgbToyuv(rgba[neibor_row * w + neibor_column]);
    con += (unsigned)(!((row==neibor_row) && (column==neibor_column)) && isConnected(yuv_c, yuv_ul));

    neibor_row = (row>0)?(row-1):row;
    neibor_column = column;
    unsigned yuv_up = rgbToyuv(rgba[neibor_row * w + neibor_column]);
    con += (unsigned)(!((row==neibor_row) && (column==neibor_column)) && isConnected(yuv_c, yuv_up))<<1;

    neibor_row = (row>0&&column<(w-1))?(row-1):row;
    neibor_column = (column<(w-1)&&row>0)?(column+1):column;
    unsigned yuv_ur = rgbToyuv(rgba[neibor_row * w + neibor_column]);
    con += (unsigned)(!((row==neibor_row) && (column==neibor_column)) && isConnected(yuv_c, yuv_ur))<<2;

    neibor_row = row;
    neibor_column = (column<(w-1))?(column+1):column;
    unsigned yuv_rt = rgbToyuv(rgba[neibor_row * w + neibor_column]);
    con += (unsigned)(!((row==neibor_row) && (column==neibor_column)) && isConnected(yuv_c, yuv_rt))<<3;

    neibor_row = (row<(h-1)&&column<(w-1))?(row+1):row;
    neibor_column = (column<(w-1)&&row<(h-1))?(column+1):column;
    unsigned yuv_lr = rgbToyuv(rgba[neibor_row * w + neibor_column]);
    con += (unsigned)(!((row==neibor_row) && (column==neibor_column)) && isConnected(yuv_c, yuv_lr))<<4;

    neibor_row = (row<(h-1))?(row+1):row;
    neibor_column = column;
    unsigned yuv_lw = rgbToyuv(rgba[neibor_row * w + neibor_column]);
    con += (unsigned)(!((row==neibor_row) && (column==neibor_column)) && isConnected(yuv_c, yuv_lw))<<5;

    neibor_row = (row<(h-1)&&column>0)?(row+1):row;
    neibor_column = (column>0&&row<(h-1))?(column-1):column;
    unsigned yuv_ll = rgbToyuv(rgba[neibor_row * w + neibor_column]);
    con += (unsigned)(!((row==neibor_row) && (column==neibor_column)) && isConnected(yuv_c, yuv_ll))<<6;

    neibor_row = row;
    neibor_column = (column>0)?(column-1):column;
    unsigned yuv_lt = rgbToyuv(rgba[neibor_row * w + neibor_column]);
    con += (unsigned)(!((row==neibor_row) && (column==neibor_column)) && isConnected(yuv_c, yuv_lt))<<7;

    connect[center] = (yuv_c>>16&0xFF)<<24 | (yuv_c>>8&0xFF)<<16 | (yuv_c&0xFF)<<8 | con;
  }
}
