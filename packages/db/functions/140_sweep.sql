-- The sweeper: any number of processes may run these at once. An error of one run or account stops nothing of the others: it
-- becomes a row of kind `fault` whose id tells of it, and nothing is put into the queue for that row.

-- Takes one chunk from a worker that let its lease run out. What was flushed is charged; the rest is tried again, and a task
-- with which p_max_deaths workers died is failed alone: one that died beside others of which it may have been any is tried
-- again later, without them, and given up at twice as many. The caller holds the locks of account and chunk.
CREATE FUNCTION engine.take_back(p_chunk gleaner.chunks, p_max_deaths integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_deaths integer := p_chunk.deaths;
  v_failed integer := 0;
  v_first integer;
  v_left integer[];
  v_is_doubtful boolean := false;
BEGIN
  -- The end of the run may have removed it meanwhile.
  PERFORM 1 FROM gleaner.chunks c WHERE c.run_no = p_chunk.run_no AND c.chunk = p_chunk.chunk AND c.attempt = p_chunk.attempt;
  IF NOT FOUND THEN RETURN; END IF;
  -- A live worker that lost its lease (Postgres was away, its event loop stood still) has not died.
  IF p_chunk.state = 'running' AND NOT EXISTS (
    SELECT 1 FROM gleaner.workers w WHERE w.id = p_chunk.worker_id AND w.seen_at > clock_timestamp() - interval '3 s'
  ) THEN v_deaths := v_deaths + 1; END IF;
  IF v_deaths >= p_max_deaths - 1 AND v_deaths > p_chunk.deaths THEN
    SELECT array_agg(t.seq ORDER BY t.seq) INTO v_left FROM gleaner.tasks t
    WHERE t.run_no = p_chunk.run_no AND t.seq >= p_chunk.from_seq AND t.seq < p_chunk.to_seq
      AND (p_chunk.seqs IS NULL OR t.seq = ANY (p_chunk.seqs))
      AND NOT EXISTS (SELECT 1 FROM gleaner.results o WHERE o.run_no = p_chunk.run_no AND o.seq = t.seq);
    -- Of a worker's chunks some are taken back before others: those keep its name until they are admitted again.
    v_is_doubtful := v_deaths >= p_max_deaths AND v_deaths < 2 * p_max_deaths AND EXISTS (
      SELECT 1 FROM gleaner.chunks c WHERE c.worker_id = p_chunk.worker_id AND c.deaths >= p_max_deaths - 1
        AND (c.run_no, c.chunk) <> (p_chunk.run_no, p_chunk.chunk));
    IF v_deaths >= p_max_deaths AND NOT v_is_doubtful AND cardinality(v_left) = 1 THEN
      INSERT INTO gleaner.results (run_no, seq, credits, attempts, ok, error)
      VALUES (p_chunk.run_no, v_left[1], 0, v_deaths, false, jsonb_build_object('code', 'temporarily_unavailable', 'retryable', false,
        'detail', format('%s workers died while they ran this task', v_deaths)));
      v_failed := 1;
    ELSIF cardinality(v_left) > 1 THEN
      -- One of these kills workers: from now on each is alone.
      SELECT next_chunk INTO STRICT v_first FROM gleaner.runs WHERE no = p_chunk.run_no FOR UPDATE;
      INSERT INTO gleaner.chunks (run_no, chunk, account_id, queue, state, tries, deaths, from_seq, to_seq, seqs, remaining)
      SELECT p_chunk.run_no, v_first + l.place - 1, p_chunk.account_id, p_chunk.queue, 'pending', p_chunk.tries, v_deaths,
        l.seq, l.seq + 1, ARRAY[l.seq], 1
      FROM unnest(v_left) WITH ORDINALITY l (seq, place);
      UPDATE gleaner.runs SET next_chunk = next_chunk + cardinality(v_left) WHERE no = p_chunk.run_no;
      v_left := '{}';
      DELETE FROM gleaner.chunks WHERE run_no = p_chunk.run_no AND chunk = p_chunk.chunk;
    END IF;
  END IF;
  IF v_failed = 1 OR p_chunk.remaining = 0 THEN
    DELETE FROM gleaner.chunks WHERE run_no = p_chunk.run_no AND chunk = p_chunk.chunk;
  ELSE
    UPDATE gleaner.chunks SET state = 'pending', slots = 0, succeeded = 0, failed = 0, deaths = v_deaths, lease_until = NULL,
      worker_id = CASE WHEN v_is_doubtful THEN worker_id END,
      not_before = clock_timestamp() + CASE WHEN v_is_doubtful THEN interval '5 s' ELSE interval '0' END
    WHERE run_no = p_chunk.run_no AND chunk = p_chunk.chunk;
  END IF;
  IF p_chunk.succeeded + p_chunk.failed + v_failed > 0 THEN
    PERFORM engine.settle(p_chunk.account_id, p_chunk.run_no, p_chunk.chunk, p_chunk.attempt, p_chunk.succeeded,
      p_chunk.failed + v_failed, NULL);
  END IF;
END
$$;

-- Takes back chunks whose lease ran out before p_before and admits what is next. Returns what to put into the queue.
-- p_before is the time of the sweeper's round before, so that after a standstill of Postgres the workers, whose leases all ran
-- out meanwhile, come first with what they have.
CREATE FUNCTION engine.sweep_chunks(p_max_deaths integer, p_before timestamptz)
RETURNS TABLE (kind text, id text, queue text, attempt integer, rank integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_account text;
  v_chunk gleaner.chunks;
BEGIN
  FOR v_account IN
    SELECT DISTINCT c.account_id FROM gleaner.chunks c WHERE c.state <> 'pending' AND c.lease_until <= p_before
  LOOP
    PERFORM 1 FROM gleaner.accounts a WHERE a.id = v_account FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND;
    FOR v_chunk IN
      SELECT * FROM gleaner.chunks c
      WHERE c.account_id = v_account AND c.state <> 'pending' AND c.lease_until <= p_before
      ORDER BY c.run_no, c.chunk FOR UPDATE
    LOOP
      BEGIN
        PERFORM engine.take_back(v_chunk, p_max_deaths);
      EXCEPTION WHEN OTHERS THEN
        RETURN QUERY SELECT 'fault', format('chunk %s of run %s: %s', v_chunk.chunk, v_chunk.run_no, SQLERRM), NULL, NULL::int, NULL::int;
      END;
    END LOOP;
    RETURN QUERY SELECT * FROM engine.try_admit(v_account);
  END LOOP;
END
$$;

-- Like engine.admit; an error becomes a row.
CREATE FUNCTION engine.try_admit(p_account text) RETURNS TABLE (kind text, id text, queue text, attempt integer, rank integer)
LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY SELECT * FROM engine.admit(p_account);
EXCEPTION WHEN OTHERS THEN
  RETURN QUERY SELECT 'fault', format('account %s: %s', p_account, SQLERRM), NULL, NULL::int, NULL::int;
END
$$;

-- Admits for accounts that have work and free slots: retries that became due, a raised concurrency, leases that ran out.
CREATE FUNCTION engine.pump() RETURNS TABLE (kind text, id text, queue text, attempt integer, rank integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_account text;
BEGIN
  FOR v_account IN
    SELECT w.account_id FROM (
      SELECT r.account_id FROM gleaner.runs r WHERE r.is_open
      UNION SELECT c.account_id FROM gleaner.chunks c WHERE c.state = 'pending' AND c.not_before <= clock_timestamp()
      UNION SELECT q.account_id FROM gleaner.requests q WHERE q.state = 'waiting' AND q.deadline_at > clock_timestamp()
    ) w JOIN gleaner.accounts a ON a.id = w.account_id
    WHERE engine.slots_used(a.id) < a.concurrency
  LOOP
    PERFORM 1 FROM gleaner.accounts a WHERE a.id = v_account FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND;
    RETURN QUERY SELECT * FROM engine.try_admit(v_account);
  END LOOP;
END
$$;

-- Admitted chunks that no worker has begun for a while, ever less often: their job may be lost. p_all: all of them, and
-- all queued requests, because the queue lost its data.
CREATE FUNCTION engine.redeliver(p_all boolean) RETURNS TABLE (kind text, id text, queue text, attempt integer, rank integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    WITH late AS (
      SELECT c.run_no, c.chunk FROM gleaner.chunks c
      WHERE c.state = 'admitted' AND (p_all OR c.delivered_at < clock_timestamp() - interval '3 s' * (1 << least(c.deliveries, 6)))
      FOR UPDATE SKIP LOCKED
    ), again AS (
      UPDATE gleaner.chunks c SET delivered_at = clock_timestamp(), deliveries = least(c.deliveries + 1, 1000)
      FROM late WHERE c.run_no = late.run_no AND c.chunk = late.chunk RETURNING c.*
    )
    SELECT 'chunk', engine.chunk_label((a.*)::gleaner.chunks, r.id), a.queue, a.attempt,
      row_number() OVER (PARTITION BY a.account_id ORDER BY a.run_no, a.chunk)::int
    FROM again a JOIN gleaner.runs r ON r.no = a.run_no;
  IF p_all THEN
    RETURN QUERY SELECT 'request', r.id, r.queue, r.attempt, 0 FROM gleaner.requests r
      WHERE r.state = 'queued' AND r.deadline_at > clock_timestamp();
  END IF;
END
$$;
