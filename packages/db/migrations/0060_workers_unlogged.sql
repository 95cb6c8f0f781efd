-- Heartbeats are worth nothing after a crash: workers send them again within a second. Without a log, the 20 KB of metrics
-- of each worker every 5 s reach the disk at checkpoints at most, and no commit waits for it.
-- contract: the table has a row per process, so writing it anew takes milliseconds
ALTER TABLE gleaner.workers SET UNLOGGED;
