"""Benches: ours, the peers and the bare limit side by side in one run; figures to look at, never tests that fail."""
