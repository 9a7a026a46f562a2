"""What a CPU is, and how long a nest takes on one core and on all of them."""
