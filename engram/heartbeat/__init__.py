"""The job that cron starts: a runner and its isolated child phases."""
