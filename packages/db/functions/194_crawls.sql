-- Crawls. Workers fetch pages ahead in any order; pages are retired in the order of (depth, number). Only a retired page
-- numbers its links, counts against the limit and decides what is a duplicate. So the set of pages depends on the site
-- alone, whatever the latencies, deaths and number of workers.
--
-- `frontier` has one entry for each URL. Entries of depth -1 are sources (robots.txt, sitemaps, feeds), which are tasks of
-- the run sources_no; others are tasks of the run run_no. `seq` is the task of a published entry. An entry without an
-- outcome is open. found: s start, l link, n next, m sitemap, f feed, i named by another source. outcome: f fetched,
-- e failed, d duplicate, x excluded, o out of scope, r robots, a alias (the address of a page that another entry is).
-- `guesses` are tasks whose address has no entry yet: while a page at the head is slow, links of pages behind it are fetched
-- already. The entry that the address gets takes over the task, so a guess never changes the order.
-- Order of locks as for stages: workflow_runs, account, chunk, run. Whoever holds the row of workflow_runs owns the crawl.

CREATE FUNCTION engine.url_hash(p_url text) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$ SELECT ('x' || left(md5(p_url), 16))::bit(64)::bigint $$;

-- Creates the crawl of a workflow run whose stages exist. p_crawl is the member `crawl` of its first stage. p_total start
-- pages are tasks already. The caller holds the account's lock.
CREATE FUNCTION engine.create_crawl(p_root_no bigint, p_run_no bigint, p_total integer, p_crawl jsonb) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_sources_no constant bigint := (p_crawl ->> 'sourcesNo')::bigint;
  v_sources integer;
  v_pages integer;
BEGIN
  INSERT INTO gleaner.frontier (run_no, hash, number, seq, depth, route, found, url)
  SELECT p_run_no, engine.url_hash(n.url), n.place - 1,
    CASE WHEN n.depth < 0 THEN n.ordinal - 1 WHEN n.ordinal <= p_total THEN n.ordinal - 1 END, n.depth, n.route,
    CASE WHEN n.depth < 0 THEN 'i' ELSE 's' END, n.url
  FROM (
    SELECT (e ->> 'depth')::smallint AS depth, (e ->> 'route')::smallint AS route, g.place,
      coalesce(e ->> 'kind' || ' ', '') || (e ->> 'url') AS url,
      row_number() OVER (PARTITION BY (e ->> 'depth')::smallint ORDER BY g.place)::integer AS ordinal
    FROM jsonb_array_elements(p_crawl -> 'entries') WITH ORDINALITY g (e, place)
  ) n;
  SELECT count(*) FILTER (WHERE f.depth < 0), count(*) FILTER (WHERE f.depth >= 0) INTO v_sources, v_pages
  FROM gleaner.frontier f WHERE f.run_no = p_run_no;
  INSERT INTO gleaner.crawls (root_no, run_no, sources_no, route_runs, page_limit, tries, max_entries, max_depth,
    max_hosts, hosts, next_depth, next_number, numbers, entries, source_entries, ahead)
  VALUES (p_root_no, p_run_no, v_sources_no,
    ARRAY(SELECT r.no::bigint FROM jsonb_array_elements_text(p_crawl -> 'routeRuns') WITH ORDINALITY r (no, place) ORDER BY r.place),
    (p_crawl ->> 'pageLimit')::integer, (p_crawl ->> 'tries')::integer, (p_crawl ->> 'maxEntries')::integer,
    (p_crawl ->> 'depth')::integer, (p_crawl ->> 'hostLimit')::integer,
    ARRAY(SELECT DISTINCT engine.url_host(f.url) FROM gleaner.frontier f WHERE f.run_no = p_run_no AND f.depth >= 0),
    0, coalesce((SELECT max(f.number) FROM gleaner.frontier f WHERE f.run_no = p_run_no AND f.depth = 0 AND f.seq IS NOT NULL), -1),
    v_sources + v_pages, v_pages, v_sources, p_total);
  IF v_sources = 0 THEN RETURN; END IF;
  INSERT INTO gleaner.tasks (run_no, seq, input)
  SELECT v_sources_no, f.seq, f.url FROM gleaner.frontier f WHERE f.run_no = p_run_no AND f.depth < 0;
  UPDATE gleaner.stages s SET numbered = v_sources WHERE s.run_no = v_sources_no;
  PERFORM engine.grow_run(v_sources_no, v_sources);
END
$$;

-- The host and port of a normalised address.
CREATE FUNCTION engine.url_host(p_url text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT split_part(split_part(p_url, '//', 2), '/', 1) $$;

-- Keeps what tasks of a crawl found until their entries are retired, in the transaction that writes their outcomes. p_fetched:
-- [{seq, identity, route, status, verdict, noindex, modified, canonical, links}].
CREATE FUNCTION engine.add_fetched(p_run_no bigint, p_seqs integer[], p_fetched jsonb) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO gleaner.fetched_pages (run_no, seq, identity, route, status, verdict, noindex, modified, canonical, links)
  SELECT p_run_no, s.seq, f.identity, f.route, f.status, f.verdict, coalesce(f.noindex, false), f.modified, f.canonical, f.links
  FROM unnest(p_seqs) s (seq)
  LEFT JOIN jsonb_to_recordset(coalesce(p_fetched, '[]')) f (seq integer, identity text, route smallint, status smallint, verdict text,
    noindex boolean, modified timestamptz, canonical text, links text) ON f.seq = s.seq
  -- A write that is repeated finds the outcome, and its page may be retired. Without the limit Postgres reads all results.
  LEFT JOIN LATERAL (
    SELECT true AS is_written FROM gleaner.results r WHERE r.run_no = p_run_no AND r.seq = s.seq LIMIT 1
  ) o ON true
  WHERE o.is_written IS NULL
  ON CONFLICT DO NOTHING
$$;

-- The route of an entry: that of its page, when this has another address.
CREATE FUNCTION engine.page_route(p_entry smallint, p_page smallint) RETURNS smallint
LANGUAGE sql IMMUTABLE AS $$ SELECT CASE WHEN p_page IS NULL THEN p_entry ELSE nullif(p_page, -1::smallint) END $$;

-- An open entry at the head of the order, with what its task found and what it costs. what: its outcome, as in frontier.
CREATE TYPE engine.crawl_head AS (
  depth integer, number integer, seq integer, route smallint, url text, what "char", page gleaner.fetched_pages, credits integer
);

-- The entries that can be retired: consecutive ones of one depth whose outcomes are known. Empty: the first is not known yet. Null: none is left, or the limit is reached.
CREATE FUNCTION engine.find_heads(p_crawl gleaner.crawls) RETURNS engine.crawl_head[]
LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_first gleaner.frontier;
  v_task_run bigint;
  v_heads engine.crawl_head[];
BEGIN
  SELECT * INTO v_first FROM gleaner.frontier f
  WHERE f.run_no = p_crawl.run_no AND (f.depth, f.number) > (p_crawl.depth, p_crawl.number) AND f.outcome IS NULL
  ORDER BY f.depth, f.number LIMIT 1;
  IF v_first.depth IS NULL
    OR (v_first.depth >= 0 AND (p_crawl.counted >= p_crawl.page_limit OR p_crawl.retired >= p_crawl.tries))
  THEN RETURN NULL; END IF;
  v_task_run := CASE WHEN v_first.depth < 0 THEN p_crawl.sources_no ELSE p_crawl.run_no END;
  IF NOT (v_first.seq IS NULL AND v_first.is_taken)
    AND NOT EXISTS (SELECT 1 FROM gleaner.results r WHERE r.run_no = v_task_run AND r.seq = v_first.seq)
  THEN RETURN '{}'; END IF;
  WITH open AS MATERIALIZED (
    SELECT f.* FROM gleaner.frontier f
    WHERE f.run_no = p_crawl.run_no AND f.depth = v_first.depth AND f.number >= v_first.number AND f.outcome IS NULL
    ORDER BY f.number LIMIT 200
  ), ended AS MATERIALIZED (
    SELECT o.depth, o.number, o.seq, o.route, o.url, row_number() OVER (ORDER BY o.number) AS place,
      (CASE WHEN o.is_taken AND (o.seq IS NULL OR r.seq IS NOT NULL) THEN 'd' WHEN r.seq IS NULL THEN NULL
        WHEN p.verdict = 'robots' THEN 'r' WHEN p.verdict = 'out_of_scope' THEN 'o' WHEN r.ok THEN 'f' ELSE 'e' END)::"char" AS what,
      CASE WHEN r.ok AND NOT o.is_taken THEN nullif(p.identity, o.url) END AS elsewhere, p.at, r.credits,
      -- Does not read the links: one page may have megabytes of them.
      coalesce(octet_length(p.links), 0) AS bytes
    FROM open o
    LEFT JOIN LATERAL (SELECT * FROM gleaner.results n WHERE n.run_no = v_task_run AND n.seq = o.seq LIMIT 1) r ON true
    LEFT JOIN LATERAL (SELECT n.ctid AS at, n.* FROM gleaner.fetched_pages n WHERE n.run_no = v_task_run AND n.seq = r.seq LIMIT 1) p ON true
  ), known AS MATERIALIZED (
    SELECT e.* FROM ended e
    WHERE e.place < coalesce((SELECT min(n.place) FROM ended n WHERE n.what IS NULL), 1000)
      -- Whether it is a page depends on an entry before it whose page it may be: that one is retired first.
      AND e.place < coalesce((SELECT min(n.place) FROM ended n JOIN ended b ON b.elsewhere = n.url AND b.place < n.place
        WHERE n.elsewhere IS NOT NULL), 1000)
  ), judged AS MATERIALIZED (
    -- Of several with one identity the first is the page, unless that is a retired one.
    SELECT k.depth, k.number, k.seq, k.route, k.url, k.place, k.at, k.bytes, k.credits,
      (CASE WHEN t.is_taken OR count(*) FILTER (WHERE k.what IN ('f', 'e')) OVER (
          PARTITION BY coalesce(k.elsewhere, k.url) ORDER BY k.place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) > 0
        THEN 'd' ELSE k.what END)::"char" AS what
    FROM known k LEFT JOIN LATERAL (
      SELECT f.is_taken FROM gleaner.frontier f WHERE f.run_no = p_crawl.run_no AND f.hash = engine.url_hash(k.elsewhere) LIMIT 1
    ) t ON true
  ), cut AS (
    SELECT j.*, count(*) FILTER (WHERE j.what IN ('f', 'e')) OVER (ORDER BY j.place) AS counted,
      sum(j.bytes) OVER (ORDER BY j.place) AS all_bytes FROM judged j
  )
  SELECT array_agg(ROW(c.depth, c.number, c.seq, c.route, c.url, c.what, p, c.credits)::engine.crawl_head ORDER BY c.place)
  INTO v_heads FROM cut c LEFT JOIN gleaner.fetched_pages p ON p.ctid = c.at
  WHERE (c.place = 1 OR c.all_bytes < 1000000)
    AND (c.depth < 0 OR (p_crawl.counted + c.counted - (c.what IN ('f', 'e'))::integer < p_crawl.page_limit
      AND p_crawl.retired + c.place <= p_crawl.tries));
  RETURN v_heads;
END
$$;

-- What changes in an entry that is found again: with a smaller depth, or as the page of another one.
CREATE TYPE engine.entry_change AS (hash bigint, depth smallint, number integer, found_on integer, found "char", is_taken boolean);

-- How many addresses the free maps of an account may still find: a million in a day.
CREATE FUNCTION engine.free_addresses(p_account text) RETURNS integer
LANGUAGE sql STABLE AS $$
  SELECT greatest(1000000 - coalesce(sum(c.entries + c.aside_entries), 0), 0)::integer
  FROM gleaner.runs r JOIN gleaner.workflow_runs w ON w.no = r.no AND w.kind = 'map'
  JOIN gleaner.crawls c ON c.root_no = r.no AND c.page_limit = 0
  WHERE r.account_id = p_account AND r.kind = 'workflow' AND r.created_at > now() - interval '24 hours'
$$;

-- Links as workers write them (packages/extractors/src/crawl/link-line.ts), one a line. The only reader of them in SQL.
CREATE FUNCTION engine.read_links(p_links text)
RETURNS TABLE (pos bigint, kind text, verdict text, route smallint, url text, modified timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT line.pos, substr(line.words, 1, 1), substr(line.words, 2, 1), nullif(substr(line.words, 3, 2), '--')::smallint,
    split_part(substr(line.words, 5), E'\t', 1), nullif(split_part(substr(line.words, 5), E'\t', 2), '')::timestamptz
  FROM string_to_table(p_links, E'\n') WITH ORDINALITY line (words, pos)
$$;

-- A link of the pages that are retired together, or (kind a) the other address of one of them. seen: its place among all.
CREATE TYPE engine.found_link AS (
  seen bigint, page bigint, found_on integer, depth integer, kind text, verdict text, route smallint, url text,
  modified timestamptz, hash bigint
);

CREATE FUNCTION engine.found_links(p_heads engine.crawl_head[]) RETURNS engine.found_link[]
LANGUAGE sql STABLE AS $$
  WITH pages AS (
    SELECT * FROM unnest(p_heads) WITH ORDINALITY head (depth, number, seq, route, url, what, page, credits, place)
    WHERE head.what = 'f'
  )
  SELECT ARRAY(
    SELECT ROW(head.place * 100000 + link.pos, head.place, head.seq,
      CASE WHEN link.kind IN ('n', 'i') THEN head.depth WHEN head.depth < 0 THEN 1 ELSE head.depth + 1 END,
      link.kind, link.verdict, link.route, link.url, link.modified, engine.url_hash(link.url))::engine.found_link
    FROM pages head CROSS JOIN LATERAL engine.read_links((head.page).links) link
    UNION ALL
    -- A page elsewhere takes that address before its links are numbered.
    SELECT ROW(head.place * 100000, head.place, NULL, head.depth, 'a', '+', NULL, (head.page).identity, NULL,
      engine.url_hash((head.page).identity))::engine.found_link
    FROM pages head WHERE (head.page).identity <> head.url)
$$;

-- The nearest link to an address, or another address of a page, and what is known of it. is_page: a page took the address before
-- it was linked; is_taken: a page takes it. depth, number, outcome: of its entry, if it has one. task: of its entry, or a guess.
CREATE TYPE engine.met_link AS (
  link engine.found_link, hash bigint, first_seen bigint, is_page boolean, is_taken boolean, depth integer, number integer,
  outcome "char", task integer, host text
);

-- All that is known of a link travels with it: Postgres takes parts of a statement for one row each, and would compare each link
-- with each.
CREATE FUNCTION engine.meet_links(p_crawl gleaner.crawls, p_links engine.found_link[]) RETURNS engine.met_link[]
LANGUAGE sql STABLE AS $$
  WITH within AS (
    SELECT link, link.hash, link.depth, link.seen, link.kind = 'a' AS is_other, min(link.seen) OVER address AS first_seen,
      first_value(link.kind) OVER (address ORDER BY link.seen) = 'a' AS is_page, bool_or(link.kind = 'a') OVER address AS is_taken
    FROM unnest(p_links) link WHERE link.depth <= p_crawl.max_depth
    WINDOW address AS (PARTITION BY link.url)
  ), nearest AS MATERIALIZED (
    SELECT DISTINCT ON (within.hash, within.is_other) within.* FROM within
    ORDER BY within.hash, within.is_other, within.depth, within.seen
  )
  SELECT ARRAY(
    SELECT ROW(nearest.link, nearest.hash, nearest.first_seen, nearest.is_page, nearest.is_taken, entry.depth, entry.number,
      entry.outcome, CASE WHEN nearest.is_other THEN NULL WHEN entry.depth IS NULL THEN guess.seq ELSE entry.seq END,
      CASE WHEN p_crawl.max_hosts IS NOT NULL AND (nearest.link).kind <> 'i' AND (nearest.link).verdict = '+'
        THEN engine.url_host((nearest.link).url) END)::engine.met_link
    FROM nearest
    LEFT JOIN LATERAL (
      SELECT * FROM gleaner.frontier known WHERE known.run_no = p_crawl.run_no AND known.hash = nearest.hash LIMIT 1) entry ON true
    LEFT JOIN LATERAL (
      SELECT * FROM gleaner.guesses known WHERE known.run_no = p_crawl.run_no AND known.hash = nearest.hash LIMIT 1) guess ON true)
$$;

-- Which of three kinds of entries a link becomes.
CREATE FUNCTION engine.sort_of(p_link engine.found_link) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_link.kind = 'i' THEN 'source' WHEN p_link.verdict = '+' THEN 'page' ELSE 'aside' END
$$;

-- The new links that the crawl has room for, in its hosts. Behind so many others no link is ever fetched. One of `next` may come
-- before them, so there is room for as many again.
CREATE FUNCTION engine.fitting_links(p_crawl gleaner.crawls, p_fresh engine.met_link[]) RETURNS engine.met_link[]
LANGUAGE sql STABLE AS $$
  WITH ranked AS (
    SELECT fresh, engine.sort_of(fresh.link) AS sort, (fresh.link).kind = 'n' AS is_next, fresh.first_seen,
      row_number() OVER (PARTITION BY engine.sort_of(fresh.link) ORDER BY fresh.first_seen) AS ordinal
    FROM unnest(p_fresh) fresh WHERE fresh.host IS NULL OR fresh.host = ANY (p_crawl.hosts)
  ), counted AS (
    SELECT ranked.*, count(*) FILTER (WHERE ranked.is_next OR p_crawl.entries + ranked.ordinal <= p_crawl.max_entries)
      OVER (PARTITION BY ranked.sort ORDER BY ranked.first_seen) AS kept
    FROM ranked
  )
  SELECT ARRAY(
    SELECT counted.fresh FROM counted
    WHERE CASE counted.sort WHEN 'source' THEN p_crawl.source_entries + counted.ordinal <= 1000
      WHEN 'aside' THEN p_crawl.aside_entries + counted.ordinal <= p_crawl.max_entries
      ELSE p_crawl.entries + CASE WHEN counted.is_next THEN counted.kept - p_crawl.max_entries ELSE counted.ordinal END
        <= p_crawl.max_entries END)
$$;

-- How many pages have links below the greatest depth to addresses that have no entry by then.
CREATE FUNCTION engine.count_unfollowed(p_crawl gleaner.crawls, p_links engine.found_link[], p_fitting engine.met_link[]) RETURNS bigint
LANGUAGE sql STABLE AS $$
  SELECT count(DISTINCT judged.page) FROM (
    SELECT mention.*, bool_or(NOT mention.is_beyond) OVER (PARTITION BY mention.hash ORDER BY mention.seen) AS is_met FROM (
      SELECT link.page, link.hash, link.seen, true AS is_beyond FROM unnest(p_links) link
      WHERE link.depth > p_crawl.max_depth AND link.kind = 'l' AND link.verdict = '+'
      UNION ALL
      SELECT NULL, fitting.hash, fitting.first_seen, false FROM unnest(p_fitting) fitting
      UNION ALL
      SELECT NULL, link.hash, link.seen, false FROM unnest(p_links) link WHERE link.kind = 'a' AND link.depth <= p_crawl.max_depth
    ) mention
  ) judged
  LEFT JOIN LATERAL (
    SELECT true AS is_known FROM gleaner.frontier known WHERE known.run_no = p_crawl.run_no AND known.hash = judged.hash LIMIT 1
  ) entry ON true
  WHERE judged.is_beyond AND NOT judged.is_met AND entry.is_known IS NULL
$$;

-- Writes entries: of new links; of known ones that move up; and of addresses that pages have beside their own (alias).
CREATE FUNCTION engine.place_links(p_crawl gleaner.crawls, p_met engine.met_link[], p_fitting engine.met_link[]) RETURNS gleaner.crawls
LANGUAGE plpgsql AS $$
DECLARE
  v_written record;
  v_change engine.entry_change;
BEGIN
  WITH placed AS MATERIALIZED (
    SELECT chosen.change, (chosen.met).task, ((chosen.met).link).*, (chosen.met).is_taken, ((chosen.met).depth, (chosen.met).number) > (
      p_crawl.next_depth, p_crawl.next_number) AS was_behind, p_crawl.numbers + row_number() OVER (
      ORDER BY ((chosen.met).link).seen) - 1 AS number
    FROM (
      SELECT 'new' AS change, met FROM unnest(p_fitting) met
      UNION ALL
      SELECT 'moved', met FROM unnest(p_met) met
      WHERE (met.link).kind <> 'a' AND met.outcome IS NULL AND (met.link).depth < met.depth
      UNION ALL
      SELECT 'alias', met FROM unnest(p_met) met
      WHERE (met.link).kind = 'a' AND met.depth IS NULL AND met.hash NOT IN (SELECT fitting.hash FROM unnest(p_fitting) fitting)
    ) chosen
  ), guessed AS (
    DELETE FROM gleaner.guesses guess WHERE guess.run_no = p_crawl.run_no
      AND guess.hash = ANY (ARRAY(SELECT placed.hash FROM placed WHERE placed.change = 'new' AND placed.task IS NOT NULL))
  ), added AS (
    INSERT INTO gleaner.frontier (run_no, hash, number, seq, found_on, depth, route, found, outcome, modified, is_taken, url)
    SELECT p_crawl.run_no, placed.hash, placed.number, placed.task, placed.found_on, placed.depth, placed.route,
      (CASE placed.kind WHEN 's' THEN 'm' WHEN 'a' THEN 'l' ELSE placed.kind END)::"char",
      (CASE WHEN placed.kind = 'a' THEN 'a' WHEN placed.verdict IN ('x', 'o') THEN placed.verdict END)::"char",
      placed.modified, placed.is_taken, placed.url
    FROM placed WHERE placed.change <> 'moved'
  )
  SELECT count(*) AS numbers, coalesce(sum(octet_length(placed.url) + 150) FILTER (WHERE placed.change <> 'moved'), 0) AS bytes,
    count(*) FILTER (WHERE placed.task IS NOT NULL AND (placed.change = 'new' OR placed.was_behind)
      AND (placed.depth, placed.number) < (p_crawl.next_depth, p_crawl.next_number)) AS ahead,
    array_agg(ROW(placed.hash, placed.depth, placed.number, placed.found_on, placed.kind, false)::engine.entry_change)
      FILTER (WHERE placed.change = 'moved') || ARRAY(
        SELECT ROW(met.hash, NULL, NULL, NULL, NULL, true)::engine.entry_change
        FROM unnest(p_met) met WHERE (met.link).kind = 'a' AND met.depth IS NOT NULL) AS changes
  INTO v_written FROM placed;
  -- One by one: joined, Postgres would read the whole crawl for them, whose size it does not know.
  FOREACH v_change IN ARRAY v_written.changes LOOP
    UPDATE gleaner.frontier entry SET depth = coalesce(v_change.depth, entry.depth), number = coalesce(v_change.number, entry.number),
      found_on = CASE WHEN v_change.number IS NULL THEN entry.found_on ELSE v_change.found_on END,
      found = coalesce(v_change.found, entry.found), is_taken = entry.is_taken OR v_change.is_taken
    WHERE entry.run_no = p_crawl.run_no AND entry.hash = v_change.hash;
  END LOOP;
  IF v_written.bytes > 0 THEN
    INSERT INTO gleaner.stored_deltas (run_no, bytes) VALUES (p_crawl.run_no, v_written.bytes);
  END IF;
  p_crawl.numbers := p_crawl.numbers + v_written.numbers;
  p_crawl.ahead := p_crawl.ahead + v_written.ahead;
  RETURN p_crawl;
END
$$;

-- Numbers the links of retired pages: new ones get entries behind all others of their depth, and an open entry moves up
-- when it is found again with a smaller depth. The identities of pages are taken: no other entry becomes their page. Returns
-- the crawl with its counters.
CREATE FUNCTION engine.number_links(p_crawl gleaner.crawls, p_heads engine.crawl_head[]) RETURNS gleaner.crawls
LANGUAGE plpgsql AS $$
DECLARE
  v_links constant engine.found_link[] := engine.found_links(p_heads);
  v_met engine.met_link[];
  v_fresh engine.met_link[];
  v_fitting engine.met_link[];
BEGIN
  IF cardinality(v_links) = 0 THEN RETURN p_crawl; END IF;
  IF p_crawl.page_limit = 0 THEN
    SELECT least(p_crawl.max_entries, greatest(p_crawl.entries, p_crawl.aside_entries) + engine.free_addresses(run.account_id))
    INTO p_crawl.max_entries FROM gleaner.runs run WHERE run.no = p_crawl.root_no;
  END IF;
  v_met := engine.meet_links(p_crawl, v_links);
  v_fresh := ARRAY(
    SELECT met FROM unnest(v_met) met WHERE (met.link).kind <> 'a' AND NOT met.is_page AND met.depth IS NULL);
  -- The first new hosts that there is room for.
  p_crawl.hosts := p_crawl.hosts || ARRAY(
    SELECT fresh.host FROM unnest(v_fresh) fresh WHERE fresh.host <> ALL (p_crawl.hosts)
    GROUP BY fresh.host ORDER BY min(fresh.first_seen) LIMIT greatest(p_crawl.max_hosts - cardinality(p_crawl.hosts), 0));
  v_fitting := engine.fitting_links(p_crawl, v_fresh);
  p_crawl.over_limit := p_crawl.over_limit + cardinality(v_fresh) - cardinality(v_fitting);
  p_crawl.unfollowed_pages := p_crawl.unfollowed_pages + engine.count_unfollowed(p_crawl, v_links, v_fitting);
  SELECT p_crawl.entries + count(*) FILTER (WHERE kind.sort = 'page'),
    p_crawl.aside_entries + count(*) FILTER (WHERE kind.sort = 'aside'),
    p_crawl.source_entries + count(*) FILTER (WHERE kind.sort = 'source')
  INTO p_crawl.entries, p_crawl.aside_entries, p_crawl.source_entries
  FROM (SELECT engine.sort_of(fitting.link) AS sort FROM unnest(v_fitting) fitting) kind;
  RETURN engine.place_links(p_crawl, v_met, v_fitting);
END
$$;

-- Gives tasks to retired pages whose route reads them.
CREATE FUNCTION engine.route_pages(p_crawl gleaner.crawls, p_heads engine.crawl_head[]) RETURNS void
LANGUAGE sql AS $$
  WITH routed AS MATERIALIZED (
    SELECT r.no, coalesce((h.page).identity, h.url) AS url, h.seq, s.numbered + row_number() OVER (PARTITION BY r.no ORDER BY h.place) - 1 AS place
    FROM unnest(p_heads) WITH ORDINALITY h (depth, number, seq, route, url, what, page, credits, place)
    CROSS JOIN LATERAL (
      SELECT p_crawl.route_runs[engine.page_route(h.route, (h.page).route) + 1] AS no
    ) r
    JOIN gleaner.stages s ON s.run_no = r.no
    WHERE h.what = 'f' AND h.depth >= 0
  ), added AS (
    INSERT INTO gleaner.tasks (run_no, seq, input, parent_no, parent_seq)
    SELECT r.no, r.place, r.url, p_crawl.run_no, r.seq FROM routed r
  )
  UPDATE gleaner.stages s SET numbered = s.numbered + r.count
  FROM (SELECT t.no, count(*) AS count FROM routed t GROUP BY t.no) r WHERE s.run_no = r.no
$$;

-- An entry and its task; whether it had the task before, as a guess.
CREATE TYPE engine.published_entry AS (run_no bigint, seq integer, depth smallint, number integer, url text, is_guessed boolean);

-- Publishes entries as tasks: new ones at once that come before others that are published (sources, links of `next`, of pages
-- that were tried again); others while they fit under the limit. p_from: the crawl before its entries were retired.
CREATE FUNCTION engine.publish_entries(p_crawl gleaner.crawls, p_from gleaner.crawls) RETURNS gleaner.crawls
LANGUAGE plpgsql AS $$
DECLARE
  v_published engine.published_entry[];
  v_entry engine.published_entry;
BEGIN
  WITH early AS MATERIALIZED (
    SELECT f.depth, f.number, f.url FROM generate_series(p_from.depth, least(p_crawl.depth + 2, p_crawl.next_depth)) d (depth)
    CROSS JOIN LATERAL (
      SELECT * FROM gleaner.frontier n WHERE n.run_no = p_crawl.run_no AND n.depth = d.depth AND n.number >= p_from.numbers
    ) f
    WHERE f.outcome IS NULL AND f.seq IS NULL AND NOT f.is_taken
      AND (f.depth, f.number) < (p_crawl.next_depth, p_crawl.next_number)
  ), later AS MATERIALIZED (
    SELECT f.depth, f.number, f.url, f.seq FROM gleaner.frontier f
    WHERE f.run_no = p_crawl.run_no AND (f.depth, f.number) > (p_crawl.next_depth, p_crawl.next_number)
      AND f.outcome IS NULL AND (f.seq IS NOT NULL OR NOT f.is_taken)
    ORDER BY f.depth, f.number
    LIMIT greatest(least(p_crawl.page_limit - p_crawl.counted, p_crawl.tries - p_crawl.retired) - p_crawl.ahead
      - (SELECT count(*) FROM early e WHERE e.depth >= 0), 0)
  ), chosen AS (
    SELECT CASE WHEN e.depth < 0 THEN p_crawl.sources_no ELSE p_crawl.run_no END AS run_no, NULL::integer AS seq, e.* FROM early e
    UNION ALL
    SELECT p_crawl.run_no, l.seq, l.depth, l.number, l.url FROM later l
  )
  SELECT array_agg(ROW(c.run_no, coalesce(c.seq, s.numbered + c.place - 1), c.depth, c.number, c.url, c.seq IS NOT NULL)::engine.published_entry
    ORDER BY c.depth, c.number) INTO v_published
  FROM (
    SELECT n.*, count(*) FILTER (WHERE n.seq IS NULL) OVER (PARTITION BY n.run_no ORDER BY n.depth, n.number)::integer AS place FROM chosen n
  ) c
  CROSS JOIN LATERAL (SELECT n.numbered FROM gleaner.stages n WHERE n.run_no = c.run_no LIMIT 1) s;
  IF v_published IS NULL THEN RETURN p_crawl; END IF;
  -- One by one: joined, Postgres would read the whole crawl for them, whose size it does not know.
  FOREACH v_entry IN ARRAY v_published LOOP
    CONTINUE WHEN v_entry.is_guessed;
    UPDATE gleaner.frontier f SET seq = v_entry.seq
    WHERE f.run_no = p_crawl.run_no AND f.depth = v_entry.depth AND f.number = v_entry.number;
  END LOOP;
  INSERT INTO gleaner.tasks (run_no, seq, input) SELECT e.run_no, e.seq, e.url FROM unnest(v_published) e WHERE NOT e.is_guessed;
  UPDATE gleaner.stages s SET numbered = s.numbered
    + (SELECT count(*) FROM unnest(v_published) e WHERE e.run_no = s.run_no AND NOT e.is_guessed)
  WHERE s.run_no IN (p_crawl.run_no, p_crawl.sources_no);
  p_crawl.ahead := p_crawl.ahead + (SELECT count(*) FROM unnest(v_published) e WHERE e.depth >= 0);
  v_entry := v_published[cardinality(v_published)];
  IF (v_entry.depth, v_entry.number) > (p_crawl.next_depth, p_crawl.next_number) THEN
    p_crawl.next_depth := v_entry.depth;
    p_crawl.next_number := v_entry.number;
  END IF;
  RETURN p_crawl;
END
$$;

-- Whether the page at the head failed and waits for another try.
CREATE FUNCTION engine.head_waits(p_crawl gleaner.crawls) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT 1 FROM (
      SELECT n.seq FROM gleaner.frontier n
      WHERE n.run_no = p_crawl.run_no AND (n.depth, n.number) > (p_crawl.depth, p_crawl.number) AND n.outcome IS NULL
      ORDER BY n.depth, n.number LIMIT 1
    ) head
    JOIN gleaner.chunks waiting ON waiting.run_no = p_crawl.run_no AND waiting.state = 'pending' AND waiting.not_before > now()
      AND head.seq >= waiting.from_seq AND head.seq < waiting.to_seq AND (waiting.seqs IS NULL OR head.seq = ANY (waiting.seqs))
  )
$$;

-- Makes tasks of links of pages whose turn has not come, because the page at the head waits for another try and workers have
-- nothing else to do. Only while the limit is far and credits are plenty, so that what is guessed in vain takes from nobody.
CREATE FUNCTION engine.guess_links(p_crawl gleaner.crawls) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_room bigint;
  v_first integer;
BEGIN
  SELECT least(p_crawl.page_limit / 4 - s.numbered, (a.balance - a.reserved) / nullif(r.price, 0) / 2, (a.pending_limit - a.unfinished) / 2), s.numbered
  INTO v_room, v_first
  FROM gleaner.stages s JOIN gleaner.runs r ON r.no = s.run_no JOIN gleaner.workflow_runs w ON w.no = s.root_no
  JOIN gleaner.accounts a ON a.id = w.account_id
  WHERE s.run_no = p_crawl.run_no AND s.numbered - r.carved < 16 AND w.max_credits IS NULL;
  IF v_room > 0 IS NOT TRUE THEN RETURN; END IF;
  WITH pages AS MATERIALIZED (
    UPDATE gleaner.fetched_pages p SET is_guessed = true
    WHERE p.run_no = p_crawl.run_no AND p.seq = ANY (ARRAY(
      -- Some, as their links are looked up again when they are numbered.
      SELECT c.seq FROM (
        SELECT n.seq, sum(coalesce(octet_length(n.links), 0)) OVER (ORDER BY n.seq) - coalesce(octet_length(n.links), 0) AS bytes FROM (
          SELECT * FROM gleaner.fetched_pages g WHERE g.run_no = p_crawl.run_no AND NOT g.is_guessed ORDER BY g.seq LIMIT 100
        ) n
      ) c WHERE c.bytes < 4000))
    RETURNING p.seq, p.links
  ), placed AS MATERIALIZED (
    SELECT p.seq, p.links, coalesce(f.depth, g.depth) AS depth
    FROM pages p
    CROSS JOIN LATERAL (
      SELECT engine.url_hash(t.input) AS hash FROM gleaner.tasks t WHERE t.run_no = p_crawl.run_no AND t.seq = p.seq LIMIT 1
    ) t
    LEFT JOIN LATERAL (SELECT n.depth FROM gleaner.frontier n WHERE n.run_no = p_crawl.run_no AND n.hash = t.hash LIMIT 1) f ON true
    LEFT JOIN LATERAL (SELECT n.depth FROM gleaner.guesses n WHERE n.run_no = p_crawl.run_no AND n.hash = t.hash LIMIT 1) g ON true
  ), lines AS MATERIALIZED (
    SELECT p.seq, l.pos, l.url, engine.url_hash(l.url) AS hash, p.depth + (l.kind = 'l')::integer AS depth
    FROM placed p CROSS JOIN LATERAL engine.read_links(p.links) l WHERE l.kind IN ('l', 'n') AND l.verdict = '+'
  ), nearest AS MATERIALIZED (
    SELECT DISTINCT ON (l.hash) l.* FROM lines l
    WHERE l.depth <= p_crawl.max_depth AND (p_crawl.max_hosts IS NULL OR engine.url_host(l.url) = ANY (p_crawl.hosts))
    ORDER BY l.hash, l.depth
  ), fresh AS MATERIALIZED (
    SELECT n.* FROM nearest n
    LEFT JOIN LATERAL (SELECT true AS is_known FROM gleaner.frontier f WHERE f.run_no = p_crawl.run_no AND f.hash = n.hash LIMIT 1) f ON true
    LEFT JOIN LATERAL (SELECT true AS is_known FROM gleaner.guesses g WHERE g.run_no = p_crawl.run_no AND g.hash = n.hash LIMIT 1) g ON true
    WHERE f.is_known IS NULL AND g.is_known IS NULL
  ), chosen AS MATERIALIZED (
    SELECT f.hash, f.depth, f.url, v_first + row_number() OVER (ORDER BY f.seq, f.pos)::integer - 1 AS seq
    FROM fresh f ORDER BY f.seq, f.pos LIMIT least(v_room, 64)
  ), tasks AS (
    INSERT INTO gleaner.tasks (run_no, seq, input) SELECT p_crawl.run_no, c.seq, c.url FROM chosen c
  ), kept AS (
    INSERT INTO gleaner.guesses (run_no, hash, seq, depth) SELECT p_crawl.run_no, c.hash, c.seq, c.depth FROM chosen c
  )
  UPDATE gleaner.stages s SET numbered = s.numbered + (SELECT count(*) FROM chosen) WHERE s.run_no = p_crawl.run_no;
END
$$;

-- Gives up what was fetched ahead when the page at the head waits for the credits that it holds: the entries are published
-- again later. Returns how many tasks that is.
CREATE FUNCTION engine.drop_ahead(INOUT p_crawl gleaner.crawls, OUT dropped integer)
LANGUAGE plpgsql AS $$
DECLARE
  v_gone integer[];
BEGIN
  dropped := 0;
  IF NOT EXISTS (SELECT 1 FROM gleaner.run_pauses w WHERE w.root_no = p_crawl.root_no) THEN RETURN; END IF;
  IF EXISTS (
    SELECT 1 FROM (
      SELECT f.seq FROM gleaner.frontier f
      WHERE f.run_no = p_crawl.run_no AND (f.depth, f.number) > (p_crawl.depth, p_crawl.number) AND f.depth >= 0 AND f.outcome IS NULL
      ORDER BY f.depth, f.number LIMIT 1
    ) n JOIN gleaner.runs r ON r.no = p_crawl.run_no WHERE n.seq < r.total
  ) THEN RETURN; END IF;
  WITH gone AS (DELETE FROM gleaner.fetched_pages p WHERE p.run_no = p_crawl.run_no RETURNING p.seq)
  SELECT array_agg(g.seq) INTO v_gone FROM gone g;
  IF v_gone IS NULL THEN RETURN; END IF;
  DELETE FROM gleaner.results o WHERE o.run_no = p_crawl.run_no AND o.seq = ANY (v_gone);
  DELETE FROM gleaner.guesses g WHERE g.run_no = p_crawl.run_no AND g.seq = ANY (v_gone);
  UPDATE gleaner.frontier f SET seq = NULL
  WHERE f.run_no = p_crawl.run_no AND (f.depth, f.number) > (p_crawl.depth, p_crawl.number) AND f.depth >= 0
    AND f.outcome IS NULL AND f.seq = ANY (v_gone);
  p_crawl.ahead := 0;
  p_crawl.next_depth := greatest(p_crawl.depth, 0);
  p_crawl.next_number := CASE WHEN p_crawl.depth < 0 THEN -1 ELSE p_crawl.number END;
  dropped := cardinality(v_gone);
END
$$;

-- Retires entries. Returns the crawl with its counters.
CREATE FUNCTION engine.retire_heads(p_crawl gleaner.crawls, p_heads engine.crawl_head[]) RETURNS gleaner.crawls
LANGUAGE plpgsql AS $$
DECLARE
  v_task_run constant bigint := CASE WHEN p_heads[1].depth < 0 THEN p_crawl.sources_no ELSE p_crawl.run_no END;
  v_last constant engine.crawl_head := p_heads[cardinality(p_heads)];
BEGIN
  UPDATE gleaner.frontier f SET outcome = h.what, status = (h.page).status, noindex = coalesce((h.page).noindex, false),
    modified = coalesce((h.page).modified, f.modified), canonical = (h.page).canonical,
    route = engine.page_route(f.route, (h.page).route),
    is_taken = f.is_taken OR (h.what IN ('f', 'e') AND coalesce((h.page).identity, f.url) = f.url)
  FROM unnest(p_heads) h
  WHERE f.run_no = p_crawl.run_no AND f.depth = v_last.depth AND f.number BETWEEN p_heads[1].number AND v_last.number
    AND f.number = h.number;
  -- A task that is no page has no outcome.
  DELETE FROM gleaner.results r
  WHERE r.run_no = v_task_run AND r.seq = ANY (ARRAY(SELECT h.seq FROM unnest(p_heads) h WHERE h.what NOT IN ('f', 'e')));
  DELETE FROM gleaner.fetched_pages p
  WHERE p.run_no = v_task_run AND p.seq = ANY (ARRAY(SELECT h.seq FROM unnest(p_heads) h));
  p_crawl := engine.number_links(p_crawl, p_heads);
  IF cardinality(p_crawl.route_runs) > 0 THEN PERFORM engine.route_pages(p_crawl, p_heads); END IF;
  p_crawl.depth := v_last.depth;
  p_crawl.number := v_last.number;
  IF v_last.depth >= 0 THEN
    p_crawl.retired := p_crawl.retired + cardinality(p_heads);
    p_crawl.counted := p_crawl.counted + (SELECT count(*) FROM unnest(p_heads) h WHERE h.what IN ('f', 'e'));
    p_crawl.duplicates := p_crawl.duplicates + (SELECT count(*) FROM unnest(p_heads) h WHERE h.what = 'd');
    p_crawl.ahead := p_crawl.ahead - (
      SELECT count(*) FROM unnest(p_heads) h
      WHERE h.seq IS NOT NULL AND (h.depth, h.number) <= (p_crawl.next_depth, p_crawl.next_number));
    IF (v_last.depth, v_last.number) > (p_crawl.next_depth, p_crawl.next_number) THEN
      p_crawl.next_depth := v_last.depth;
      p_crawl.next_number := v_last.number;
    END IF;
  END IF;
  RETURN p_crawl;
END
$$;

-- Retires what can be retired, numbers the links and publishes entries: a bounded part of it. The caller holds the row of
-- workflow_runs, and settles `ends` under the account's lock. Null when there is no crawl, or it is over.
CREATE FUNCTION engine.retire_pages(p_root gleaner.workflow_runs) RETURNS engine.numbered
LANGUAGE plpgsql AS $$
DECLARE
  v_from gleaner.crawls;
  v_crawl gleaner.crawls;
  v_heads engine.crawl_head[];
  v_ends engine.run_end[] := '{}';
  v_retired integer := 0;
  v_links bigint := 0;
  v_is_more boolean := false;
  v_ahead record;
BEGIN
  SELECT * INTO v_from FROM gleaner.crawls c WHERE c.root_no = p_root.no AND NOT c.is_over;
  IF NOT FOUND THEN RETURN NULL; END IF;
  v_crawl := v_from;
  LOOP
    v_heads := engine.find_heads(v_crawl);
    v_crawl.is_over := v_heads IS NULL;
    EXIT WHEN v_crawl.is_over OR cardinality(v_heads) = 0;
    v_crawl := engine.retire_heads(v_crawl, v_heads);
    v_ends := v_ends || ARRAY(
      SELECT ROW(p_root.account_id, n.no, -3, v_crawl.retirements + 1, n.succeeded, n.credits, n.failed, n.left_out, NULL, NULL,
        NULL, NULL, n.seqs)::engine.run_end
      FROM (
        SELECT CASE WHEN v_heads[1].depth < 0 THEN v_crawl.sources_no ELSE v_crawl.run_no END AS no,
          count(*) FILTER (WHERE h.what = 'f') AS succeeded, coalesce(sum(h.credits) FILTER (WHERE h.what = 'f'), 0) AS credits,
          count(*) FILTER (WHERE h.what = 'e') AS failed,
          count(*) FILTER (WHERE h.what NOT IN ('f', 'e')) AS left_out, array_agg(h.seq) FILTER (WHERE h.what IN ('f', 'e')) AS seqs
        FROM unnest(v_heads) h WHERE h.seq IS NOT NULL HAVING count(*) > 0
      ) n);
    v_retired := v_retired + cardinality(v_heads);
    v_links := v_links + (SELECT coalesce(sum(octet_length((h.page).links)), 0) FROM unnest(v_heads) h);
    v_is_more := v_retired >= 400 OR v_links > 2000000;
    EXIT WHEN v_is_more;
  END LOOP;
  IF NOT v_crawl.is_over THEN
    IF cardinality(v_heads) = 0 THEN
      SELECT * INTO v_ahead FROM engine.drop_ahead(v_crawl);
      v_crawl := v_ahead.p_crawl;
      IF v_ahead.dropped > 0 THEN
        v_ends := v_ends || ROW(p_root.account_id, v_crawl.run_no, -3, v_crawl.retirements + 1, 0, 0, 0, v_ahead.dropped, NULL,
          NULL, NULL, NULL, NULL)::engine.run_end;
      END IF;
    END IF;
    v_crawl := engine.publish_entries(v_crawl, v_from);
    IF cardinality(v_heads) = 0 AND engine.head_waits(v_crawl) THEN PERFORM engine.guess_links(v_crawl); END IF;
  END IF;
  IF cardinality(v_ends) > 0 THEN v_crawl.retirements := v_crawl.retirements + 1; END IF;
  UPDATE gleaner.stages s SET left_out = s.left_out + e.cancelled
  FROM (SELECT n.run_no, sum(n.cancelled) AS cancelled FROM unnest(v_ends) n WHERE n.cancelled > 0 GROUP BY n.run_no) e
  WHERE s.run_no = e.run_no;
  IF v_crawl IS DISTINCT FROM v_from THEN
    UPDATE gleaner.crawls c SET depth = v_crawl.depth, number = v_crawl.number, next_depth = v_crawl.next_depth,
      next_number = v_crawl.next_number, numbers = v_crawl.numbers, entries = v_crawl.entries,
      source_entries = v_crawl.source_entries, aside_entries = v_crawl.aside_entries, hosts = v_crawl.hosts,
      ahead = v_crawl.ahead, counted = v_crawl.counted, retired = v_crawl.retired, duplicates = v_crawl.duplicates,
      over_limit = v_crawl.over_limit, unfollowed_pages = v_crawl.unfollowed_pages, retirements = v_crawl.retirements,
      is_over = v_crawl.is_over
    WHERE c.root_no = v_crawl.root_no;
  END IF;
  RETURN ROW(v_ends, v_is_more, v_crawl.is_over)::engine.numbered;
END
$$;

-- Removes what was fetched and not retired. The caller holds the row of workflow_runs and the account's lock.
CREATE FUNCTION engine.drop_fetched(p_root_no bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_runs constant bigint[] := ARRAY(
    SELECT unnest(ARRAY[c.run_no, c.sources_no]) FROM gleaner.crawls c WHERE c.root_no = p_root_no);
BEGIN
  DELETE FROM gleaner.results o USING gleaner.fetched_pages p
  WHERE p.run_no = ANY (v_runs) AND o.run_no = p.run_no AND o.seq = p.seq;
  DELETE FROM gleaner.fetched_pages p WHERE p.run_no = ANY (v_runs);
  DELETE FROM gleaner.guesses g WHERE g.run_no = ANY (v_runs);
END
$$;

-- Entries that were never retired.
CREATE FUNCTION engine.count_open(p_crawl gleaner.crawls) RETURNS integer
LANGUAGE sql STABLE AS $$
  SELECT count(*)::integer FROM gleaner.frontier f
  WHERE f.run_no = p_crawl.run_no AND (f.depth, f.number) > (p_crawl.depth, p_crawl.number) AND f.depth >= 0 AND f.outcome IS NULL
$$;

-- Cancels what a crawl that is over has under way: tasks that were fetched ahead in vain. The caller holds the row of
-- workflow_runs and the account's lock. Returns the notices to the workers.
CREATE FUNCTION engine.close_crawl(p_root_no bigint) RETURNS SETOF engine.delivery
LANGUAGE plpgsql AS $$
DECLARE
  v_crawl gleaner.crawls;
  v_run gleaner.runs;
  v_left integer;
BEGIN
  SELECT * INTO v_crawl FROM gleaner.crawls c WHERE c.root_no = p_root_no AND c.is_over;
  IF NOT FOUND THEN RETURN; END IF;
  FOR v_run IN
    SELECT * FROM gleaner.runs r WHERE r.no IN (v_crawl.run_no, v_crawl.sources_no) ORDER BY r.no FOR NO KEY UPDATE
  LOOP
    PERFORM engine.remove_chunks(v_run.no);
    DELETE FROM gleaner.tasks t WHERE t.run_no = v_run.no AND t.seq >= v_run.total;
    v_left := v_run.total - v_run.succeeded - v_run.failed - v_run.cancelled;
    UPDATE gleaner.stages s SET numbered = v_run.total, left_out = s.left_out + v_left WHERE s.run_no = v_run.no;
    CONTINUE WHEN v_left = 0;
    RETURN NEXT engine.worker_notice(v_run.no::text);
  END LOOP;
  PERFORM engine.drop_fetched(p_root_no);
  PERFORM engine.settle_runs(ARRAY(
    SELECT ROW(r.account_id, r.no, -4, v_crawl.retirements, 0, 0, 0, r.total - r.succeeded - r.failed - r.cancelled, NULL, NULL,
      NULL, NULL, NULL)::engine.run_end
    FROM gleaner.runs r WHERE r.no IN (v_crawl.run_no, v_crawl.sources_no)
      AND r.total > r.succeeded + r.failed + r.cancelled));
  -- A retry may open it again.
  UPDATE gleaner.frontier f SET seq = NULL WHERE f.run_no = v_crawl.run_no AND f.outcome IS NULL AND f.seq IS NOT NULL;
  UPDATE gleaner.crawls c SET ahead = 0, next_depth = c.depth, next_number = c.number,
    over_limit = c.over_limit + engine.count_open(c)
  WHERE c.root_no = p_root_no;
END
$$;

-- Opens the failed entries again whose tasks are tried again. The caller holds the row of workflow_runs.
CREATE FUNCTION engine.reopen_crawl(p_root_no bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_crawl gleaner.crawls;
  v_open integer;
BEGIN
  SELECT * INTO v_crawl FROM gleaner.crawls c WHERE c.root_no = p_root_no;
  IF NOT FOUND THEN RETURN; END IF;
  v_open := CASE WHEN v_crawl.is_over THEN engine.count_open(v_crawl) ELSE 0 END;
  WITH opened AS (
    UPDATE gleaner.frontier f SET outcome = NULL, is_taken = false
    WHERE f.run_no = v_crawl.run_no AND f.outcome = 'e' AND NOT EXISTS (
      SELECT 1 FROM gleaner.results o WHERE o.seq = f.seq
        AND o.run_no = CASE WHEN f.depth < 0 THEN v_crawl.sources_no ELSE v_crawl.run_no END)
    RETURNING f.depth, f.number
  ), first AS (SELECT o.depth, o.number FROM opened o ORDER BY o.depth, o.number LIMIT 1)
  UPDATE gleaner.crawls c SET is_over = false, over_limit = c.over_limit - v_open, depth = f.depth, number = f.number - 1,
    counted = c.counted - n.pages, retired = c.retired - n.pages, ahead = c.ahead + n.pages
  FROM first f, (SELECT count(*) FILTER (WHERE o.depth >= 0) AS pages FROM opened o) n
  WHERE c.root_no = p_root_no AND (f.depth, f.number) <= (c.depth, c.number);
END
$$;
