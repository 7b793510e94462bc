"""Schedules as code: a YAML file becomes rows, all of it or nothing; what stands is listed and looked ahead at."""
