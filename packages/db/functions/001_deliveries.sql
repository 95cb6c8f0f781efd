-- Deliveries: a transaction decides them, and its caller must send them after the commit. Requests that own their slots
-- and messages that work waits go to the queue; a notice goes to the processes that listen on its channel.

CREATE TYPE engine.delivery AS (
  -- request | turn | notice
  kind text,
  -- A notice has the name of its channel here.
  queue text,
  -- Requests only: the fence. A delivery of an older attempt starts nothing.
  attempt integer,
  request_id text,
  -- Requests only: 1 for the account's first outstanding request, 2 for its second, …: the priority in the queue, which
  -- makes accounts share it fairly.
  queue_position integer,
  -- For people who look at the queue; workers share their interactive slots by it.
  account_id text,
  -- Notices only: the message.
  notice text
);

-- One row of a sweep: either work for the queue, or the error of one run, request or account. The sweep goes on after
-- an error.
CREATE TYPE engine.sweep_row AS (
  delivery engine.delivery,
  fault text
);
