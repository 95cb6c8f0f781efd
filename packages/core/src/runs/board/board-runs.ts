import { hasEnded, type RunState } from '@gleaner/contracts';
import { ENGINE, type Database } from '@gleaner/db';
import { shareFor } from '../../platform/process/share-for.ts';
import { readCauses } from '../batches/batch-failures.ts';
import type { TaskTarget } from '../tasks/task-spec.ts';

/** The newest of those that live, and of those that ended within a day. */
const MOST = 10_000;
/** For so long all looks of a process share one list. */
const SHARED_MS = 2_000;

/** A run as the operator's board shows it. */
export interface BoardRun {
  id: string;
  kind: string;
  state: RunState;
  /** Given by its account. */
  name: string | null;
  /** The slug of the parser or workflow that runs. */
  slug: string | null;
  /** The name of the stage; null for a whole run. */
  stage: string | null;
  /** The id of the stage's workflow run. */
  root: string | null;
  account: string;
  accountName: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
  startedAt: number | null;
  finishedAt: number | null;
  counts: { total: number; running: number; succeeded: number; failed: number; cancelled: number };
  /** Why it waits, in words. */
  waitsFor: string | null;
}

interface Listed {
  no: string;
  state: RunState;
}

/** What the board shows of runs. Postgres has it, so nothing is written for the board and nothing of it can be lost. */
export interface BoardRuns {
  /** How many there are in each state. */
  count(): Promise<Record<RunState, number>>;
  /** The newest ones in one of these states, `limit` from the place `from`, from 0. */
  list(states: readonly RunState[], from: number, limit: number): Promise<BoardRun[]>;
  find(id: string): Promise<BoardRun | undefined>;
  /** Its failures by cause, most frequent first: a line each, with addresses without queries. */
  failures(id: string): Promise<string[]>;
}

function listRuns({ sql }: Database): Promise<Listed[]> {
  return sql<Listed[]>`
    SELECT shown.no::text AS no, shown.state FROM (
      (SELECT no, state, account_id FROM gleaner.runs WHERE state IN ('pending', 'running') ORDER BY no DESC LIMIT ${MOST})
      UNION ALL
      (SELECT no, state, account_id FROM gleaner.runs
       WHERE finished_at > now() - interval '1 day' AND state NOT IN ('pending', 'running')
       ORDER BY finished_at DESC LIMIT ${MOST})
    ) shown
    WHERE shown.account_id NOT IN (SELECT erased.account_id FROM gleaner.erasures erased)
    ORDER BY shown.no DESC`;
}

type Row = Omit<BoardRun, 'counts'> & BoardRun['counts'];

/** The counts of a workflow run are in its stages. */
async function readRuns({ sql }: Database, numbers: readonly string[]): Promise<BoardRun[]> {
  const rows = await sql<Row[]>`
    SELECT r.id, r.state, r.name, stage.name AS stage, root.id AS root, r.account_id AS account, account.name AS "accountName",
      CASE WHEN EXISTS (SELECT 1 FROM gleaner.stages part WHERE part.root_no = r.no AND part.role = 'pages') THEN 'crawl' ELSE r.kind END AS kind,
      coalesce(parser.slug, workflow.slug) AS slug,
      (extract(epoch FROM r.created_at) * 1000)::float8 AS "createdAt",
      (extract(epoch FROM r.started_at) * 1000)::float8 AS "startedAt",
      (extract(epoch FROM r.finished_at) * 1000)::float8 AS "finishedAt",
      counts.*, coalesce(pause.reason, waiting.reason) AS "waitsFor"
    FROM gleaner.runs r
    JOIN gleaner.accounts account ON account.id = r.account_id
    LEFT JOIN gleaner.stages stage ON stage.run_no = r.no
    LEFT JOIN gleaner.runs root ON root.no = r.root_no
    LEFT JOIN gleaner.parsers parser ON parser.id = r.target ->> 'parserId'
    LEFT JOIN gleaner.workflow_runs workflow_run ON workflow_run.no = r.no
    LEFT JOIN gleaner.workflows workflow ON workflow.id = workflow_run.workflow_id
    LEFT JOIN LATERAL (
      SELECT CASE p.reason WHEN 'credits' THEN 'credits of the account' ELSE 'room below the account''s limit of tasks' END AS reason
      FROM gleaner.run_pauses p WHERE p.root_no = r.no AND r.finished_at IS NULL
    ) pause ON true
    LEFT JOIN LATERAL (
      SELECT c.waits_for AS reason FROM gleaner.chunks c
      WHERE c.run_no = r.no AND c.state = 'pending' AND c.not_before > now() AND c.waits_for IS NOT NULL
      ORDER BY c.not_before LIMIT 1
    ) waiting ON true
    CROSS JOIN LATERAL (
      SELECT sum(c.total)::int AS total, sum(c.running)::int AS running, sum(c.succeeded)::int AS succeeded,
        sum(c.failed)::int AS failed, sum(c.cancelled)::int AS cancelled
      FROM (SELECT r.no UNION ALL SELECT s.no FROM gleaner.runs s WHERE s.root_no = r.no) member (no)
      CROSS JOIN LATERAL ${sql(ENGINE)}.count_run(member.no) c
    ) counts
    WHERE r.no = ANY (${[...numbers]}::bigint[])
      AND NOT EXISTS (SELECT 1 FROM gleaner.erasures erased WHERE erased.account_id = r.account_id)
    ORDER BY r.no DESC`;
  return rows.map(({ total, running, succeeded, failed, cancelled, ...run }) => ({
    ...run,
    counts: { total, running, succeeded, failed, cancelled },
    waitsFor: run.waitsFor === null ? null : withoutQueries(run.waitsFor),
  }));
}

/** Addresses in a text without logins, queries and fragments, which may hold secrets. */
export function withoutQueries(text: string): string {
  return text.replaceAll(/https?:\/\/[^\s"'<>]+/gi, (address) => {
    if (!URL.canParse(address)) return '…';
    const { origin, pathname } = new URL(address);
    return `${origin}${pathname}`;
  });
}

async function readFailures(db: Database, id: string): Promise<string[]> {
  const runs = await db.sql<{ no: string; target: TaskTarget }[]>`
    SELECT member.no::text AS no, member.target FROM gleaner.runs r JOIN gleaner.runs member
      ON member.no = r.no OR member.root_no = r.no
    WHERE r.id = ${id} AND member.target IS NOT NULL LIMIT 1000`;
  const causes = await readCauses({ services: { db } }, runs);
  return causes.map(({ count, error, example }) => {
    const detail = example.detail === undefined ? '' : `: ${withoutQueries(example.detail)}`;
    return `${count} × ${error}${detail}, for example ${withoutQueries(example.url)}`;
  });
}

/** @param sharedMs shorter in tests */
export function createBoardRuns(db: Database, sharedMs = SHARED_MS): BoardRuns {
  const all = shareFor(sharedMs, () => listRuns(db));
  return {
    count: async () => {
      const counts = { pending: 0, running: 0, succeeded: 0, failed: 0, cancelled: 0 };
      for (const { state } of await all()) counts[state] += 1;
      return counts;
    },
    list: async (states, from, limit) => {
      const chosen = (await all()).filter(({ state }) => states.includes(state)).slice(from, from + limit);
      return readRuns(
        db,
        chosen.map(({ no }) => no),
      );
    },
    find: async (id) => {
      const [run] = await db.sql<{ no: string }[]>`SELECT no::text AS no FROM gleaner.runs WHERE id = ${id}`;
      return run === undefined ? undefined : (await readRuns(db, [run.no]))[0];
    },
    failures: (id) => readFailures(db, id),
  };
}

/** In words; empty for a run that goes on or succeeded. */
export function whyBoardRunFailed({ state, counts }: BoardRun): string {
  if (!hasEnded(state) || state === 'succeeded') return '';
  if (state === 'cancelled') return 'cancelled';
  return `${counts.failed} of ${counts.total} pages failed`;
}
