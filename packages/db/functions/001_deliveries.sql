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

CREATE FUNCTION engine.request_delivery(
  p_request_id text, p_queue text, p_attempt integer, p_account text, p_queue_position integer
) RETURNS engine.delivery
LANGUAGE sql IMMUTABLE AS $$
  SELECT 'request'::text AS kind, p_queue AS queue, p_attempt AS attempt, p_request_id AS request_id,
    p_queue_position AS queue_position, p_account AS account_id, NULL::text AS notice
$$;

-- A message that some worker should look for work in the queue.
CREATE FUNCTION engine.turn_delivery(p_queue text) RETURNS engine.delivery
LANGUAGE sql IMMUTABLE AS $$
  SELECT 'turn'::text AS kind, p_queue AS queue, NULL::integer AS attempt, NULL::text AS request_id,
    NULL::integer AS queue_position, NULL::text AS account_id, NULL::text AS notice
$$;

CREATE FUNCTION engine.notice_delivery(p_channel text, p_notice text) RETURNS engine.delivery
LANGUAGE sql IMMUTABLE AS $$
  SELECT 'notice'::text AS kind, p_channel AS queue, NULL::integer AS attempt, NULL::text AS request_id,
    NULL::integer AS queue_position, NULL::text AS account_id, p_notice AS notice
$$;
