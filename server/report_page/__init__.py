"""The report: one HTML page with everything that is known of a file, its data as plain JSON values."""
