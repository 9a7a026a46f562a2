/* HeCBench black-scholes-cuda, kernel getOutValOption (BSD-3-Clause, Scott Grauer-Gray). References are pointers; log of a float is logf. */
#include <math.h>

#define FLT_MIN 1.17549435e-38f
#define M_1_SQRTPI 0.564189583547756286948f
#define M_SQRT_2 0.7071067811865475244008443621048490392848359376887f
#define CALL 0
#define PUT 1

#define ERROR_FUNCT_tiny 0.000000000000000000001f //QL_EPSILON
#define ERROR_FUNCT_one 1.00000000000000000000e+00f
#define ERROR_FUNCT_erx 8.45062911510467529297e-01f
#define ERROR_FUNCT_efx  1.28379167095512586316e-01f
#define ERROR_FUNCT_efx8 1.02703333676410069053e+00f
#define ERROR_FUNCT_pp0 1.28379167095512558561e-01f
#define ERROR_FUNCT_pp1 -3.25042107247001499370e-01f
#define ERROR_FUNCT_pp2 -2.84817495755985104766e-02f
#define ERROR_FUNCT_pp3 -5.77027029648944159157e-03f
#define ERROR_FUNCT_pp4 -2.37630166566501626084e-05f
#define ERROR_FUNCT_qq1 3.97917223959155352819e-01f
#define ERROR_FUNCT_qq2 6.50222499887672944485e-02f
#define ERROR_FUNCT_qq3 5.08130628187576562776e-03f
#define ERROR_FUNCT_qq4 1.32494738004321644526e-04f
#define ERROR_FUNCT_qq5 -3.96022827877536812320e-06f
#define ERROR_FUNCT_pa0 -2.36211856075265944077e-03f
#define ERROR_FUNCT_pa1 4.14856118683748331666e-01f
#define ERROR_FUNCT_pa2 -3.72207876035701323847e-01f
#define ERROR_FUNCT_pa3 3.18346619901161753674e-01f
#define ERROR_FUNCT_pa4 -1.10894694282396677476e-01f
#define ERROR_FUNCT_pa5 3.54783043256182359371e-02f
#define ERROR_FUNCT_pa6 -2.16637559486879084300e-03f
#define ERROR_FUNCT_qa1 1.06420880400844228286e-01f
#define ERROR_FUNCT_qa2 5.40397917702171048937e-01f
#define ERROR_FUNCT_qa3 7.18286544141962662868e-02f
#define ERROR_FUNCT_qa4 1.26171219808761642112e-01f
#define ERROR_FUNCT_qa5 1.36370839120290507362e-02f
#define ERROR_FUNCT_qa6 1.19844998467991074170e-02f
#define ERROR_FUNCT_ra0 -9.86494403484714822705e-03f
#define ERROR_FUNCT_ra1 -6.93858572707181764372e-01f
#define ERROR_FUNCT_ra2 -1.05586262253232909814e+01f
#define ERROR_FUNCT_ra3 -6.23753324503260060396e+01f
#define ERROR_FUNCT_ra4 -1.62396669462573470355e+02f
#define ERROR_FUNCT_ra5 -1.84605092906711035994e+02f
#define ERROR_FUNCT_ra6 -8.12874355063065934246e+01f
#define ERROR_FUNCT_ra7 -9.81432934416914548592e+00f
#define ERROR_FUNCT_sa1 1.96512716674392571292e+01f
#define ERROR_FUNCT_sa2 1.37657754143519042600e+02f
#define ERROR_FUNCT_sa3 4.34565877475229228821e+02f
#define ERROR_FUNCT_sa4 6.45387271733267880336e+02f
#define ERROR_FUNCT_sa5 4.29008140027567833386e+02f
#define ERROR_FUNCT_sa6 1.08635005541779435134e+02f
#define ERROR_FUNCT_sa7 6.57024977031928170135e+00f
#define ERROR_FUNCT_sa8 -6.04244152148580987438e-02f
#define ERROR_FUNCT_rb0 -9.86494292470009928597e-03f
#define ERROR_FUNCT_rb1 -7.99283237680523006574e-01f
#define ERROR_FUNCT_rb2 -1.77579549177547519889e+01f
#define ERROR_FUNCT_rb3 -1.60636384855821916062e+02f
#define ERROR_FUNCT_rb4 -6.37566443368389627722e+02f
#define ERROR_FUNCT_rb5 -1.02509513161107724954e+03f
#define ERROR_FUNCT_rb6 -4.83519191608651397019e+02f
#define ERROR_FUNCT_sb1 3.03380607434824582924e+01f
#define ERROR_FUNCT_sb2 3.25792512996573918826e+02f
#define ERROR_FUNCT_sb3 1.53672958608443695994e+03f
#define ERROR_FUNCT_sb4 3.19985821950859553908e+03f
#define ERROR_FUNCT_sb5 2.55305040643316442583e+03f
#define ERROR_FUNCT_sb6 4.74528541206955367215e+02f
#define ERROR_FUNCT_sb7 -2.24409524465858183362e+01f

typedef struct
{
    int type;
    float strike;
} payoffStruct;

typedef struct
{
    float timeYearFraction;
    float forward;
    float compounding;
    float frequency;
    float intRate;
} yieldTermStruct;

typedef struct
{
    float timeYearFraction;
    float following;
    float volatility;
} blackVolStruct;

typedef struct
{
    float x0;
    yieldTermStruct dividendTS;
    yieldTermStruct riskFreeTS;
    blackVolStruct blackVolTS;
} blackScholesMertStruct;

typedef struct
{
    payoffStruct payoff;
    float yearFractionTime;
    blackScholesMertStruct pricingEngine;
} optionStruct;

typedef struct
{
    float strike;
    float forward;
    float stdDev;
    float discount;
    float variance;
    float d1;
    float d2;
    float alpha;
    float beta;
    float DalphaDd1;
    float DbetaDd2;
    float n_d1;
    float cum_d1;
    float n_d2;
    float cum_d2;
    float x;
    float DxDs;
    float DxDstrike;
} blackCalcStruct;

typedef struct
{
    float average;
    float sigma;
    float denominator;
    float derNormalizationFactor;
    float normalizationFactor;
} normalDistStruct;

typedef struct
{
    int type;
    float strike;
    float spot;
    float q;
    float r;
    float t;
    float vol;
    float value;
    float tol;
} optionInputStruct;

static float interestRateCompoundFactor(float t, yieldTermStruct currYieldTermStruct)
{
  return (expf((currYieldTermStruct.forward)*t));
}

static float interestRateDiscountFactor(float t, yieldTermStruct currYieldTermStruct)
{
  return 1.0f / interestRateCompoundFactor(t, currYieldTermStruct);
}

static float getBlackVolBlackVar(blackVolStruct volTS)
{
  float vol = volTS.volatility;
  return vol*vol*volTS.timeYearFraction;
}

static float getDiscountOnDividendYield(float yearFraction, yieldTermStruct dividendYieldTermStruct)
{
  float intDiscountFactor = interestRateDiscountFactor(yearFraction, dividendYieldTermStruct);
  return intDiscountFactor;
}

static float getDiscountOnRiskFreeRate(float yearFraction, yieldTermStruct riskFreeRateYieldTermStruct)
{
  return interestRateDiscountFactor(yearFraction, riskFreeRateYieldTermStruct);
}

static float errorFunct(normalDistStruct normDist, float x)
{
  float R,S,P,Q,s,y,z,r, ax;

  ax = fabsf(x);

  if(ax < 0.84375f)
  {
    if(ax < 3.7252902984e-09f)
    {
      if (ax < FLT_MIN*16.0f)
        return 0.125f*(8.0f*x+ (ERROR_FUNCT_efx8)*x);  /*avoid underflow */
      return x + (ERROR_FUNCT_efx)*x;
    }
    z = x*x;
    r = ERROR_FUNCT_pp0+z*(ERROR_FUNCT_pp1+z*(ERROR_FUNCT_pp2+z*(ERROR_FUNCT_pp3+z*ERROR_FUNCT_pp4)));
    s = ERROR_FUNCT_one+z*(ERROR_FUNCT_qq1+z*(ERROR_FUNCT_qq2+z*(ERROR_FUNCT_qq3+z*(ERROR_FUNCT_qq4+z*ERROR_FUNCT_qq5))));
    y = r/s;
    return x + x*y;
  }
  if(ax <1.25f)
  {
    s = ax-ERROR_FUNCT_one;
    P = ERROR_FUNCT_pa0+s*(ERROR_FUNCT_pa1+s*(ERROR_FUNCT_pa2+s*(ERROR_FUNCT_pa3+s*(ERROR_FUNCT_pa4+s*(ERROR_FUNCT_pa5+s*ERROR_FUNCT_pa6)))));
    Q = ERROR_FUNCT_one+s*(ERROR_FUNCT_qa1+s*(ERROR_FUNCT_qa2+s*(ERROR_FUNCT_qa3+s*(ERROR_FUNCT_qa4+s*(ERROR_FUNCT_qa5+s*ERROR_FUNCT_qa6)))));
    if(x>=0.0f) return ERROR_FUNCT_erx + P/Q; else return -1.0f*ERROR_FUNCT_erx - P/Q;
  }
  if (ax >= 6.0f)
  {
    if(x>=0.0f)
      return ERROR_FUNCT_one-ERROR_FUNCT_tiny;
    else
      return ERROR_FUNCT_tiny-ERROR_FUNCT_one;
  }

  /* Starts to lose accuracy when ax~5 */
  s = ERROR_FUNCT_one/(ax*ax);

  if(ax < 2.85714285714285f) { /* |x| < 1/0.35 */
    R = ERROR_FUNCT_ra0+s*(ERROR_FUNCT_ra1+s*(ERROR_FUNCT_ra2+s*(ERROR_FUNCT_ra3+s*(ERROR_FUNCT_ra4+s*(ERROR_FUNCT_ra5+s*(ERROR_FUNCT_ra6+s*ERROR_FUNCT_ra7))))));
    S = ERROR_FUNCT_one+s*(ERROR_FUNCT_sa1+s*(ERROR_FUNCT_sa2+s*(ERROR_FUNCT_sa3+s*(ERROR_FUNCT_sa4+s*(ERROR_FUNCT_sa5+s*(ERROR_FUNCT_sa6+s*(ERROR_FUNCT_sa7+s*ERROR_FUNCT_sa8)))))));
  } else {    /* |x| >= 1/0.35 */
    R=ERROR_FUNCT_rb0+s*(ERROR_FUNCT_rb1+s*(ERROR_FUNCT_rb2+s*(ERROR_FUNCT_rb3+s*(ERROR_FUNCT_rb4+s*(ERROR_FUNCT_rb5+s*ERROR_FUNCT_rb6)))));
    S=ERROR_FUNCT_one+s*(ERROR_FUNCT_sb1+s*(ERROR_FUNCT_sb2+s*(ERROR_FUNCT_sb3+s*(ERROR_FUNCT_sb4+s*(ERROR_FUNCT_sb5+s*(ERROR_FUNCT_sb6+s*ERROR_FUNCT_sb7))))));
  }

  r = expf( -ax*ax-0.5625f +R/S);
  if(x>=0.0f)
    return ERROR_FUNCT_one-r/ax;
  else
    return r/ax-ERROR_FUNCT_one;
}

static float cumNormDistOp(normalDistStruct normDist, float z)
{
  z = (z - normDist.average) / normDist.sigma;
  float result = 0.5f * ( 1.0f + errorFunct(normDist, z*M_SQRT_2 ) );
  return result;
}

static float gaussianFunctNormDist(normalDistStruct normDist, float x)
{
  float deltax = x - normDist.average;
  float exponent = -(deltax*deltax)/normDist.denominator;

  return exponent <= -690.0f ? 0.0f :
    normDist.normalizationFactor * expf(exponent);
}

static float cumNormDistDeriv(normalDistStruct normDist, float x)
{
  float xn = (x - normDist.average) / normDist.sigma;
  return gaussianFunctNormDist(normDist, xn) / normDist.sigma;
}

static void initCumNormDist(normalDistStruct *currCumNormDist)
{
  currCumNormDist->average = 0.0f;
  currCumNormDist->sigma = 1.0f;
  currCumNormDist->normalizationFactor = M_SQRT_2*M_1_SQRTPI/currCumNormDist->sigma;
  currCumNormDist->derNormalizationFactor = currCumNormDist->sigma*currCumNormDist->sigma;
  currCumNormDist->denominator = 2.0f*currCumNormDist->derNormalizationFactor;
}

static void initBlackCalcVars(blackCalcStruct *blackCalculator, payoffStruct payoff)
{
  blackCalculator->d1 = logf(blackCalculator->forward / blackCalculator->strike)/blackCalculator->stdDev + 0.5f*blackCalculator->stdDev;
  blackCalculator->d2 = blackCalculator->d1 - blackCalculator->stdDev;

  normalDistStruct currCumNormDist;
  initCumNormDist(&currCumNormDist);

  blackCalculator->cum_d1 = cumNormDistOp(currCumNormDist, blackCalculator->d1);
  blackCalculator->cum_d2 = cumNormDistOp(currCumNormDist, blackCalculator->d2);
  blackCalculator->n_d1 = cumNormDistDeriv(currCumNormDist, blackCalculator->d1);
  blackCalculator->n_d2 = cumNormDistDeriv(currCumNormDist, blackCalculator->d2);

  blackCalculator->x = payoff.strike;
  blackCalculator->DxDstrike = 1.0f;

  blackCalculator->DxDs = 0.0f;

  switch (payoff.type)
  {
    case CALL:
      blackCalculator->alpha     = blackCalculator->cum_d1;
      blackCalculator->DalphaDd1 = blackCalculator->n_d1;
      blackCalculator->beta      = -1.0f*blackCalculator->cum_d2;
      blackCalculator->DbetaDd2  = -1.0f*blackCalculator->n_d2;
      break;
    case PUT:
      blackCalculator->alpha     = -1.0f+blackCalculator->cum_d1;
      blackCalculator->DalphaDd1 = blackCalculator->n_d1;
      blackCalculator->beta      = 1.0f-blackCalculator->cum_d2;
      blackCalculator->DbetaDd2  = -1.0f* blackCalculator->n_d2;
      break;
  }
}

static void initBlackCalculator(blackCalcStruct *blackCalc, payoffStruct payoff, float forwardPrice, float stdDev, float riskFreeDiscount)
{
  blackCalc->strike = payoff.strike;
  blackCalc->forward = forwardPrice;
  blackCalc->stdDev = stdDev;
  blackCalc->discount = riskFreeDiscount;
  blackCalc->variance = stdDev * stdDev;

  initBlackCalcVars(blackCalc, payoff);
}

static float getResultVal(blackCalcStruct blackCalculator)
{
  float result = blackCalculator.discount * (blackCalculator.forward *
      blackCalculator.alpha + blackCalculator.x * blackCalculator.beta);
  return result;
}

void getOutValOption(const optionInputStruct* options, float* outputVals, int numVals)
{
  for (int optionNum = 0; optionNum < numVals; optionNum++)
  {
    const optionInputStruct threadOption = options[optionNum];

    payoffStruct currPayoff;
    currPayoff.type = threadOption.type;
    currPayoff.strike = threadOption.strike;

    yieldTermStruct qTS;
    qTS.timeYearFraction = threadOption.t;
    qTS.forward = threadOption.q;

    yieldTermStruct rTS;
    rTS.timeYearFraction = threadOption.t;
    rTS.forward = threadOption.r;

    blackVolStruct volTS;
    volTS.timeYearFraction = threadOption.t;
    volTS.volatility = threadOption.vol;

    blackScholesMertStruct stochProcess;
    stochProcess.x0 = threadOption.spot;
    stochProcess.dividendTS = qTS;
    stochProcess.riskFreeTS = rTS;
    stochProcess.blackVolTS = volTS;

    optionStruct currOption;
    currOption.payoff = currPayoff;
    currOption.yearFractionTime = threadOption.t;
    currOption.pricingEngine = stochProcess;

    float variance = getBlackVolBlackVar(currOption.pricingEngine.blackVolTS);
    float dividendDiscount = getDiscountOnDividendYield(currOption.yearFractionTime, currOption.pricingEngine.dividendTS);
    float riskFreeDiscount = getDiscountOnRiskFreeRate(currOption.yearFractionTime, currOption.pricingEngine.riskFreeTS);
    float spot = currOption.pricingEngine.x0;

    float forwardPrice = spot * dividendDiscount / riskFreeDiscount;

    blackCalcStruct blackCalc;

    initBlackCalculator(&blackCalc, currOption.payoff, forwardPrice, sqrtf(variance), riskFreeDiscount);

    float resultVal = getResultVal(blackCalc);

    outputVals[optionNum] = resultVal;
  }
}
