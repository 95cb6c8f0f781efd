-- Counters of rate limits and hosts may be lost with a crash. Without a log their commits don't wait for the disk, on
-- any connection.
ALTER TABLE gleaner.rate_limits SET UNLOGGED;
