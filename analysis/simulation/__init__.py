"""Resios' coarse simulation: trace, units, queues, policies, the event loop of algorithm 5.1."""
