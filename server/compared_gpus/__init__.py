"""A nest on several GPUs side by side: for the command line, for a request of editors, for hovers and the report."""
