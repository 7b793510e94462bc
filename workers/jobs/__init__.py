"""Ready-made jobs and your own: the domain change and its events, nothing else. One file a job."""
