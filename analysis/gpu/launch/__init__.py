"""Launches, one or thousands as columns, and the occupancy that each reaches."""
