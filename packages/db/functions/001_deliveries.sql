-- Deliveries: a transaction decides them, and its caller must send them after the commit. Work that owns its slots goes
-- to the queue; a notice goes to the processes that listen on its channel.

CREATE TYPE engine.delivery AS (
  -- request | chunk | notice
  kind text,
  -- A notice has the name of its channel here.
  queue text,
  -- The fence: a delivery of an older attempt starts nothing.
  attempt integer,
  -- Requests only.
  request_id text,
  -- Chunks only, as are deliveries, run_id, first_seq and last_seq.
  run_no bigint,
  chunk integer,
  -- 1 for the account's first outstanding request, 2 for its second, …; for chunks 1 for the first 8 slots, 2 for the
  -- next 8, …: the priority in the queue, which makes accounts share it fairly.
  queue_position integer,
  -- Deliveries of this attempt before this one.
  deliveries integer,
  -- For people who look at the queue; workers share their interactive slots by it.
  account_id text,
  run_id text,
  first_seq integer,
  last_seq integer,
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
    NULL::bigint AS run_no, NULL::integer AS chunk, p_queue_position AS queue_position, NULL::integer AS deliveries,
    p_account AS account_id, NULL::text AS run_id, NULL::integer AS first_seq, NULL::integer AS last_seq,
    NULL::text AS notice
$$;

CREATE FUNCTION engine.chunk_delivery(p_chunk gleaner.chunks, p_run_id text, p_queue_position integer)
RETURNS engine.delivery
LANGUAGE sql IMMUTABLE AS $$
  SELECT 'chunk'::text AS kind, p_chunk.queue AS queue, p_chunk.attempt AS attempt, NULL::text AS request_id,
    p_chunk.run_no AS run_no, p_chunk.chunk AS chunk, p_queue_position AS queue_position,
    p_chunk.deliveries::integer AS deliveries, p_chunk.account_id AS account_id, p_run_id AS run_id,
    p_chunk.from_seq AS first_seq, p_chunk.to_seq - 1 AS last_seq, NULL::text AS notice
$$;

CREATE FUNCTION engine.notice_delivery(p_channel text, p_notice text) RETURNS engine.delivery
LANGUAGE sql IMMUTABLE AS $$
  SELECT 'notice'::text AS kind, p_channel AS queue, NULL::integer AS attempt, NULL::text AS request_id,
    NULL::bigint AS run_no, NULL::integer AS chunk, NULL::integer AS queue_position, NULL::integer AS deliveries,
    NULL::text AS account_id, NULL::text AS run_id, NULL::integer AS first_seq, NULL::integer AS last_seq,
    p_notice AS notice
$$;
