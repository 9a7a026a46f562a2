"""The passes in order, and the memo that keeps what did not change."""
