"""The smoke test a person can run: half a minute of the real stack, an accident on the way, and a count at the end."""
