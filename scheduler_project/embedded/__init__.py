"""Real servers from wheels for development, demo and tests; a deployment names its own servers by URL instead."""
