"""GPU and CPU profiles as TOML, and their loader."""
