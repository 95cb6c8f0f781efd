-- The sweeper: any number of processes may run these at once. The error of one run, request or account stops no other:
-- it is returned as a row with a fault and no delivery.

-- Takes one chunk back after its worker let the lease run out. Flushed outcomes are charged; the other tasks are tried
-- again. After the second death each task continues in its own chunk, and a task fails when p_max_deaths
-- workers died with it. But if the last of these workers also held another chunk that may have killed it, the task is
-- tried again later, without that chunk; at twice as many deaths it fails in any case. What was begun p_max_starts times
-- without an end fails as well, whatever makes its end fail. The caller holds the locks of account and chunk.
CREATE FUNCTION engine.take_back(p_chunk gleaner.chunks, p_max_deaths integer, p_max_starts integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_deaths integer := p_chunk.deaths;
  v_failed integer := 0;
  v_first integer;
  v_left integer[];
  v_is_doubtful boolean := false;
  v_error jsonb;
  v_is_spent boolean;
  v_is_deferred boolean := false;
BEGIN
  -- The end of the run may have removed it meanwhile.
  PERFORM 1 FROM gleaner.chunks c
  WHERE c.run_no = p_chunk.run_no AND c.chunk = p_chunk.chunk AND c.attempt = p_chunk.attempt;
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM engine.note_sink_wait(p_chunk, 0);
  -- A live worker that lost its lease (Postgres was away, its event loop was blocked) has not died.
  IF p_chunk.state = 'running' AND NOT EXISTS (
    SELECT 1 FROM gleaner.workers w WHERE w.id = p_chunk.worker_id AND w.seen_at > clock_timestamp() - interval '3 s'
  ) THEN v_deaths := v_deaths + 1; END IF;
  v_is_spent := p_chunk.starts >= p_max_starts;
  IF v_is_spent OR v_deaths >= p_max_deaths - 1 AND v_deaths > p_chunk.deaths THEN
    SELECT array_agg(t.seq ORDER BY t.seq) INTO v_left FROM gleaner.tasks t LEFT JOIN LATERAL (
      SELECT true AS is_known FROM gleaner.results n WHERE n.run_no = p_chunk.run_no AND n.seq = t.seq LIMIT 1
    ) o ON true
    WHERE t.run_no = p_chunk.run_no AND t.seq >= p_chunk.from_seq AND t.seq < p_chunk.to_seq
      AND (p_chunk.seqs IS NULL OR t.seq = ANY (p_chunk.seqs))
      AND o.is_known IS NULL;
    -- The chunks of a worker are taken back one after another; each keeps the worker's id until it is taken again.
    v_is_doubtful := v_deaths >= p_max_deaths AND v_deaths < 2 * p_max_deaths AND EXISTS (
      SELECT 1 FROM gleaner.chunks c WHERE c.worker_id = p_chunk.worker_id AND c.deaths >= p_max_deaths - 1
        AND (c.run_no, c.chunk) <> (p_chunk.run_no, p_chunk.chunk));
    v_error := CASE
      WHEN v_is_spent THEN jsonb_build_object('code', 'internal',
        'detail', format('the task was started %s times, and no end of it could be stored', p_chunk.starts))
      WHEN v_deaths >= p_max_deaths AND NOT v_is_doubtful AND cardinality(v_left) = 1 THEN jsonb_build_object(
        'code', 'temporarily_unavailable', 'retryable', false,
        'detail', format('%s workers died while they ran this task', v_deaths)) END;
    IF v_error IS NOT NULL THEN
      INSERT INTO gleaner.results (run_no, seq, way, credits, attempts, ok, error)
      SELECT p_chunk.run_no, task.seq, p_chunk.way, 0, CASE WHEN v_is_spent THEN p_chunk.starts ELSE v_deaths END, false, v_error
      FROM unnest(v_left) task (seq);
      GET DIAGNOSTICS v_failed = ROW_COUNT;
    ELSIF cardinality(v_left) > 1 THEN
      -- One of these tasks kills workers: from now on each has its own chunk.
      SELECT next_chunk INTO STRICT v_first FROM gleaner.runs WHERE no = p_chunk.run_no FOR NO KEY UPDATE;
      INSERT INTO gleaner.chunks (run_no, chunk, account_id, queue, way, state, tries, deaths, from_seq, to_seq, seqs,
        remaining)
      SELECT p_chunk.run_no, v_first + l.ordinal - 1, p_chunk.account_id, p_chunk.queue, p_chunk.way, 'pending', p_chunk.tries,
        v_deaths, l.seq, l.seq + 1, ARRAY[l.seq], 1
      FROM unnest(v_left) WITH ORDINALITY l (seq, ordinal);
      UPDATE gleaner.runs SET next_chunk = next_chunk + cardinality(v_left) WHERE no = p_chunk.run_no;
      v_left := '{}';
      DELETE FROM gleaner.chunks WHERE run_no = p_chunk.run_no AND chunk = p_chunk.chunk;
    END IF;
  END IF;
  IF v_failed > 0 THEN v_is_deferred := engine.on_written(p_chunk.run_no, v_left); END IF;
  IF v_failed > 0 OR p_chunk.remaining = 0 THEN
    DELETE FROM gleaner.chunks WHERE run_no = p_chunk.run_no AND chunk = p_chunk.chunk;
  ELSE
    UPDATE gleaner.chunks SET state = 'pending', slots = 0, succeeded = 0, saved = 0, failed = 0, deaths = v_deaths,
      waiting_for_sink = 0, lease_until = NULL, worker_id = CASE WHEN v_is_doubtful THEN worker_id END,
      not_before = clock_timestamp() + CASE WHEN v_is_doubtful THEN interval '5 s' ELSE interval '0' END
    WHERE run_no = p_chunk.run_no AND chunk = p_chunk.chunk;
  END IF;
  IF v_is_deferred THEN v_failed := 0; END IF;
  IF p_chunk.succeeded + p_chunk.failed + v_failed > 0 THEN
    PERFORM engine.settle_runs(ARRAY[ROW(
      p_chunk.account_id, p_chunk.run_no, p_chunk.chunk, p_chunk.attempt, p_chunk.succeeded, engine.flushed_credits(p_chunk),
      p_chunk.failed + v_failed, 0, NULL, NULL, p_chunk.from_seq, p_chunk.to_seq, p_chunk.seqs)::engine.run_end]);
  END IF;
END
$$;

-- Accounts with leases of chunks that ran out before p_before, the time of the sweeper's previous round. After a
-- standstill of Postgres all leases have run out; the extra round gives workers the time to write the outcomes that
-- they hold.
CREATE FUNCTION engine.accounts_with_lost_chunks(p_before timestamptz) RETURNS SETOF text
LANGUAGE sql STABLE AS $$
  SELECT DISTINCT c.account_id FROM gleaner.chunks c WHERE c.state <> 'pending' AND c.lease_until <= p_before
$$;

-- Takes back one account's chunks with a lease that ran out before p_before, and makes the account's turns ready.
CREATE FUNCTION engine.take_back_chunks(
  p_account text, p_max_deaths integer, p_max_starts integer, p_before timestamptz
)
RETURNS SETOF engine.sweep_row
LANGUAGE plpgsql AS $$
DECLARE
  v_chunk gleaner.chunks;
BEGIN
  IF engine.lock_accounts(ARRAY[p_account], NULL) = '{}' THEN RETURN; END IF;
  FOR v_chunk IN
    SELECT * FROM gleaner.chunks c
    WHERE c.account_id = p_account AND c.state <> 'pending' AND c.lease_until <= p_before
    ORDER BY c.run_no, c.chunk FOR NO KEY UPDATE
  LOOP
    BEGIN
      PERFORM engine.take_back(v_chunk, p_max_deaths, p_max_starts);
    EXCEPTION WHEN OTHERS THEN
      RETURN QUERY SELECT NULL::engine.delivery,
        format('chunk %s of run %s: %s', v_chunk.chunk, v_chunk.run_no, SQLERRM);
    END;
  END LOOP;
  RETURN QUERY SELECT * FROM engine.try_admit(p_account);
  RETURN QUERY SELECT w, NULL::text FROM (VALUES ('batch-browser'), ('batch-http')) q (queue)
    CROSS JOIN LATERAL engine.wake_turn(p_account, q.queue) w;
END
$$;

-- Like engine.admit, but returns an error as a row.
CREATE FUNCTION engine.try_admit(p_account text) RETURNS SETOF engine.sweep_row
LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY SELECT d, NULL::text FROM engine.admit(p_account) d;
EXCEPTION WHEN OTHERS THEN
  RETURN QUERY SELECT NULL::engine.delivery, format('account %s: %s', p_account, SQLERRM);
END
$$;
