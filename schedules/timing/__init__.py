"""When every kind of schedule fires, and which missed fire times still go: pure rules, UTC outside."""
