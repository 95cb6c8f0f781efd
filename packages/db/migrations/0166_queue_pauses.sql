-- Queues that an operator has paused.
CREATE TABLE gleaner.queue_pauses (
  queue text PRIMARY KEY,
  since timestamptz(3) NOT NULL DEFAULT now()
);
