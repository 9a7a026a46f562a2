"""GPUPerf (Sim et al. 2012), and its four benefits."""
