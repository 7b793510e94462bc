"""Runs the whole project as children of one process: servers, beats, worker, relay, web process and sandbox."""
