-- The doors of features: the events of the engine, and what stages, crawls and sources do then. The files of the engine (110 to 140)
-- know none of these features, and stages know neither crawls nor sources.

-- A chunk of a run was taken. The stages of a workflow run have one place among the account's runs, in their order; the stage that
-- was served now becomes the last. Who takes work waits for no lock: a stage that somebody else holds keeps its place until the
-- next time.
CREATE FUNCTION engine.on_taken(p_run_no bigint, p_root_no bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF p_root_no IS NULL THEN RETURN; END IF;
  UPDATE gleaner.runs run SET last_served = engine.microseconds_now() - placed.place
  FROM (
    SELECT held.no, row_number() OVER (ORDER BY held.no = p_run_no DESC, held.last_served DESC) AS place
    FROM (
      SELECT open.no, open.last_served FROM gleaner.runs open WHERE open.root_no = p_root_no AND open.is_open
      FOR NO KEY UPDATE SKIP LOCKED
    ) held
  ) placed WHERE run.no = placed.no AND run.no <> p_run_no;
END
$$;

-- Outcomes were written: by a worker (p_write), else by the sweeper, as failures. Keeps the children of results, and what tasks of
-- a crawl found. Returns whether the outcomes are counted and charged later: when their pages are retired.
CREATE FUNCTION engine.on_written(p_run_no bigint, p_seqs integer[], p_write engine.chunk_write DEFAULT NULL) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  v_defers constant boolean := CASE WHEN p_write.run_no IS NOT NULL THEN p_write.defers IS TRUE ELSE EXISTS (
    SELECT 1 FROM gleaner.stages stage WHERE stage.run_no = p_run_no AND stage.role IN ('pages', 'sources')) END;
BEGIN
  IF p_write.children IS NOT NULL THEN PERFORM engine.add_children(p_write.root_no, p_run_no, p_write.children); END IF;
  IF v_defers THEN PERFORM engine.add_fetched(p_run_no, p_seqs, p_write.fetched); END IF;
  RETURN v_defers;
END
$$;

-- Runs were settled: entries of a source that were cancelled are new again, what ended is judged, and roots go on.
CREATE FUNCTION engine.on_settled(p_settled engine.settled_run[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM engine.forget_unfetched(settled.run_no) FROM unnest(p_settled) settled WHERE settled.has_ended AND settled.has_cancelled;
  PERFORM engine.await_judgement(settled.run_no) FROM unnest(p_settled) settled WHERE settled.has_ended;
  PERFORM engine.settle_root(root.no)
  FROM (SELECT DISTINCT settled.root_no AS no FROM unnest(p_settled) settled WHERE settled.root_no IS NOT NULL) root;
END
$$;

-- The workflow run with which a run is cancelled and retried: itself, or the root under which a batch waits for its source. Locks
-- it, as a batch leaves its root when it begins.
CREATE FUNCTION engine.owner_of(p_account text, p_id text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  v_owner bigint;
BEGIN
  FOR v_pass IN 1..2 LOOP
    SELECT owner.no INTO v_owner FROM gleaner.runs run
    JOIN gleaner.workflow_runs owner ON owner.no = CASE run.kind WHEN 'batch' THEN run.root_no ELSE run.no END
    WHERE run.id = p_id AND run.account_id = p_account FOR NO KEY UPDATE OF owner;
    EXIT WHEN v_owner IS NULL;
  END LOOP;
  RETURN v_owner;
END
$$;

-- Whether the pages of a run with a root count as used. The pages of a crawl count where they were fetched, not again for its
-- routes, and its robots.txt and sitemaps are no pages.
CREATE FUNCTION engine.counts_pages(p_run_no bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT NOT EXISTS (
    SELECT 1 FROM gleaner.stages stage WHERE stage.run_no = p_run_no AND stage.role IN ('route', 'source', 'sources'))
$$;

-- A workflow run was created, with p_total inputs of its first stage.
CREATE FUNCTION engine.on_created(p_account text, p_root_no bigint, p_stages jsonb, p_total integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_first constant jsonb := p_stages -> 0;
  v_first_no constant bigint := (v_first ->> 'no')::bigint;
BEGIN
  IF v_first ? 'crawl' THEN PERFORM engine.create_crawl(p_root_no, v_first_no, p_total, v_first -> 'crawl'); END IF;
  IF v_first ? 'source' THEN
    -- {kind, url, since, cronNo, maxCredits}
    INSERT INTO gleaner.run_sources (run_no, root_no, source_no, account_id, kind, url, since, cron_no, max_credits)
    SELECT (p_stages -> 1 ->> 'no')::bigint, p_root_no, v_first_no, p_account, s ->> 'kind', s ->> 'url', s ->> 'since',
      (s ->> 'cronNo')::bigint, (s ->> 'maxCredits')::bigint
    FROM (SELECT v_first -> 'source' AS s) given;
  END IF;
END
$$;

-- Whether stored tasks may become part of a run: it does not wait for its source.
CREATE FUNCTION engine.may_begin(p_run_no bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT NOT EXISTS (SELECT 1 FROM gleaner.run_sources source WHERE source.run_no = p_run_no AND source.state = 'reading')
$$;

-- Whether a stage without work may end.
CREATE FUNCTION engine.may_end(p_root_no bigint, p_run_no bigint, p_role text) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN engine.may_begin(p_run_no) AND CASE
    WHEN p_role IN ('pages', 'sources') THEN NOT EXISTS (
      SELECT 1 FROM gleaner.crawls crawl WHERE crawl.root_no = p_root_no AND NOT crawl.is_over)
    WHEN p_role = 'source' THEN NOT EXISTS (
      SELECT 1 FROM gleaner.run_sources source WHERE source.source_no = p_run_no AND source.state = 'reading')
    ELSE true END;
END
$$;

-- What the stages of a root did. The sources of a crawl say nothing of its pages; a map may have no others. was_empty: a source
-- that has nothing new, or a map that neither follows links nor has sources.
CREATE FUNCTION engine.sum_stages(p_root_no bigint)
RETURNS TABLE (started_at timestamptz, cancelled bigint, succeeded bigint, was_empty boolean)
LANGUAGE sql STABLE AS $$
  SELECT min(run.started_at), sum(run.cancelled - stage.left_out),
    sum(run.succeeded) FILTER (WHERE coalesce(stage.role, '') NOT IN ('sources', 'source') OR crawl.page_limit = 0),
    (bool_or(stage.role = 'source' AND run.state = 'succeeded') AND coalesce(sum(run.total) FILTER (WHERE stage.role IS NULL), 0) = 0)
      OR (bool_or(crawl.page_limit = 0) AND sum(run.total) = 0)
  FROM gleaner.runs run JOIN gleaner.stages stage ON stage.run_no = run.no
  LEFT JOIN gleaner.crawls crawl ON crawl.root_no = run.root_no WHERE run.root_no = p_root_no
$$;

-- The children of a live root are about to be numbered.
CREATE FUNCTION engine.on_numbering(p_root gleaner.workflow_runs) RETURNS engine.numbered
LANGUAGE plpgsql AS $$ BEGIN RETURN engine.retire_pages(p_root); END $$;

-- The children of a root were numbered; its account is not locked yet. Returns the number of a run that began.
CREATE FUNCTION engine.on_numbered(p_root gleaner.workflow_runs) RETURNS bigint
LANGUAGE plpgsql AS $$ BEGIN RETURN engine.end_source(p_root); END $$;

-- Nothing more will come into a root: what was fetched ahead in vain is cancelled.
CREATE FUNCTION engine.on_over(p_root_no bigint) RETURNS SETOF engine.delivery
LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY SELECT * FROM engine.close_crawl(p_root_no); END $$;

-- A root gave up what waits, and is cancelled or goes on with what is under way.
CREATE FUNCTION engine.on_dropped(p_root_no bigint, p_is_cancelled boolean) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE gleaner.crawls crawl SET is_over = true WHERE crawl.root_no = p_root_no AND NOT crawl.is_over;
  IF NOT p_is_cancelled THEN RETURN; END IF;
  -- A batch that waits for its source is left to itself.
  UPDATE gleaner.runs run SET root_no = NULL WHERE run.root_no = p_root_no AND run.kind = 'batch';
  UPDATE gleaner.run_sources source SET state = 'cancelled' WHERE source.root_no = p_root_no AND source.state = 'reading';
END
$$;

-- The stages of a root were cancelled: nobody writes of them any more.
CREATE FUNCTION engine.on_cancelled(p_root_no bigint) RETURNS void
LANGUAGE plpgsql AS $$ BEGIN PERFORM engine.drop_fetched(p_root_no); END $$;

-- The stages of a root were retried. Returns the message to a worker when a source is read again.
CREATE FUNCTION engine.on_retried(p_root_no bigint) RETURNS engine.delivery
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM engine.reopen_crawl(p_root_no);
  RETURN engine.reopen_source(p_root_no);
END
$$;

-- Roots for which features have something to do, because their worker died.
CREATE FUNCTION engine.unfinished_roots() RETURNS TABLE (account_id text, root_no bigint)
LANGUAGE sql STABLE AS $$
  SELECT root.account_id, crawl.root_no FROM gleaner.crawls crawl
  JOIN gleaner.runs root ON root.no = crawl.root_no AND root.state IN ('pending', 'running')
  WHERE NOT crawl.is_over AND (EXISTS (
      SELECT 1 FROM gleaner.fetched_pages page WHERE page.run_no IN (crawl.run_no, crawl.sources_no))
    -- Nothing is under way: the step that would end it, or publish further pages, was not taken.
    OR NOT EXISTS (
      SELECT 1 FROM gleaner.stages stage JOIN gleaner.runs run ON run.no = stage.run_no
      WHERE stage.run_no IN (crawl.run_no, crawl.sources_no) AND run.succeeded + run.failed + run.cancelled < stage.numbered))
  UNION ALL
  SELECT source.account_id, source.root_no FROM gleaner.run_sources source JOIN gleaner.runs run ON run.no = source.source_no
  WHERE source.state = 'reading' AND run.succeeded + run.failed + run.cancelled = run.total
$$;

-- Roots were removed.
CREATE FUNCTION engine.on_removed(p_roots bigint[]) RETURNS void
LANGUAGE sql AS $$
  DELETE FROM gleaner.crawls crawl WHERE crawl.root_no = ANY (p_roots);
  DELETE FROM gleaner.run_sources source WHERE source.root_no = ANY (p_roots)
$$;
