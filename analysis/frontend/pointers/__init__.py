"""Where pointers lead: allocations, copies, exchanges, addresses that escape."""
