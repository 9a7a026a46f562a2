"""Resios' parametrized model: simulation, and a closed form that ranks launches."""
