import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { readHealth, type Health } from '../api/operator.ts';
import { formatBytes, formatNumber, formatShare, plural } from '../format/number.ts';
import { formatSeconds } from '../format/time.ts';
import { Loaded } from '../parts/states.tsx';
import { Status, When } from '../parts/values.tsx';

const LIVE_MS = 5_000;
/** Beyond these an operator should look. */
const OLD_RUN_SECONDS = 300;
const OLD_WEBHOOK_SECONDS = 60;
const OLD_TRANSACTION_SECONDS = 60;

function age(seconds: number | null): string {
  return seconds === null ? '–' : formatSeconds(Math.round(seconds));
}

/** The service's problems, one sentence each. */
/** Before the first page in a browser nobody knows about its sandbox, and nothing is wrong. */
function isUnknown(name: string, state: string): boolean {
  return name === 'browser_sandbox' && state.startsWith('not known');
}

function concernsOf(health: Health): string[] {
  const { readiness, runs, webhooks, database, workers, queues } = health;
  const concerns = Object.entries(readiness.checks)
    .filter(([name, state]) => state !== 'ok' && !name.startsWith('worker_wrk_') && !isUnknown(name, state))
    .map(([name, state]) => `${name.replace('_', ' ')}: ${state}.`);
  if (workers.length === 0) concerns.push('No worker is alive, so nothing runs.');
  for (const { id, refuses } of workers)
    if (refuses !== null) concerns.push(`The worker ${id} takes no work: ${refuses}.`);
  if ((runs.oldest_pending_seconds ?? 0) > OLD_RUN_SECONDS)
    concerns.push(`A run has waited for ${age(runs.oldest_pending_seconds)} without a first page.`);
  if ((webhooks.oldest_due_seconds ?? 0) > OLD_WEBHOOK_SECONDS)
    concerns.push(`A webhook is overdue by ${age(webhooks.oldest_due_seconds)}: is a scheduler running?`);
  if ((database.oldest_transaction_seconds ?? 0) > OLD_TRANSACTION_SECONDS)
    concerns.push(
      `A transaction is open for ${age(database.oldest_transaction_seconds)}, which keeps old rows from being removed.`,
    );
  for (const { name, counts } of queues)
    if ((counts['failed'] ?? 0) > 0)
      concerns.push(`The queue ${name} has ${plural(counts['failed'] ?? 0, 'failed job')}.`);
  return concerns;
}

interface TableProps {
  label: string;
  heads: readonly string[];
  /** So many columns from the left are text, the others numbers. */
  texts?: number;
  children: ReactNode;
}

function Table({ label, heads, texts = 1, children }: TableProps) {
  return (
    <section className="section" aria-label={label}>
      <h2 style={{ marginBottom: 6 }}>{label}</h2>
      <div className="scroll-x" tabIndex={0} role="region" aria-label={`${label}, table`}>
        <table className="plain">
          <thead>
            <tr>
              {heads.map((head, index) => (
                <th key={head} scope="col" className={index < texts ? undefined : 'num'}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </div>
    </section>
  );
}

function capacityText({ http, browser }: Health['workers'][number]['capacity']): string {
  return [http === null ? '' : `${http} plain`, browser === null ? '' : `${browser} in browsers`]
    .filter((text) => text !== '')
    .join(', ');
}

function Fetches({ fetches }: { fetches: Health['fetches'] }) {
  const total = fetches.reduce((sum, { count }) => sum + count, 0);
  return (
    <Table
      label="Fetches since the workers started"
      texts={3}
      heads={['Outcome', 'Engine', 'Proxy', 'Pages', 'Share']}
    >
      {fetches.slice(0, 15).map(({ engine, tier, outcome, count }) => (
        <tr key={`${engine} ${tier} ${outcome}`}>
          <td>{outcome.replaceAll('_', ' ')}</td>
          <td className="soft">{engine}</td>
          <td className="soft">{tier}</td>
          <td className="num">{formatNumber(count)}</td>
          <td className="num soft">{formatShare(count, total)}</td>
        </tr>
      ))}
      {fetches.length === 0 && (
        <tr>
          <td colSpan={5} className="soft">
            Nothing has been fetched yet.
          </td>
        </tr>
      )}
    </Table>
  );
}

function Overview({ health }: { health: Health }) {
  const { runs, webhooks, database } = health;
  return (
    <dl className="facts">
      <dt>Runs</dt>
      <dd>
        {formatNumber(runs.running)} running, {formatNumber(runs.pending)} waiting
        {runs.oldest_pending_seconds !== null && `, the oldest for ${age(runs.oldest_pending_seconds)}`}
      </dd>
      <dt>Webhooks</dt>
      <dd>
        {formatNumber(webhooks.pending)} to deliver, {formatNumber(webhooks.failed)} given up
        {webhooks.oldest_due_seconds !== null && `, overdue by ${age(webhooks.oldest_due_seconds)}`}
      </dd>
      <dt>Database</dt>
      <dd>
        {formatBytes(database.bytes)}, {plural(database.connections, 'connection')}, oldest transaction{' '}
        {age(database.oldest_transaction_seconds)}
      </dd>
    </dl>
  );
}

/** Whether the installation is well, and where it isn't. */
export function HealthTab() {
  const query = useQuery({
    queryKey: ['operator', 'health'],
    queryFn: readHealth,
    refetchInterval: LIVE_MS,
  });
  return (
    <div style={{ padding: '16px 20px 40px' }}>
      <Loaded query={query} what="the health">
        {(health) => {
          const concerns = concernsOf(health);
          return (
            <>
              <div className={concerns.length === 0 ? 'notice good' : 'notice'} role="status">
                {concerns.length === 0 ? (
                  <Status status="succeeded" word="All is well: workers consume, nothing is overdue." />
                ) : (
                  <ul style={{ margin: 0, paddingLeft: 18 }}>
                    {concerns.map((concern) => (
                      <li key={concern}>{concern}</li>
                    ))}
                  </ul>
                )}
              </div>
              <div className="section">
                <Overview health={health} />
              </div>
              <Table
                label="Queues"
                heads={['Queue', 'Waiting', 'Prioritised', 'Active', 'Delayed', 'Failed']}
              >
                {health.queues.map(({ name, counts }) => (
                  <tr key={name}>
                    <td>{name}</td>
                    {['waiting', 'prioritized', 'active', 'delayed', 'failed'].map((state) => (
                      <td key={state} className={counts[state] ? 'num' : 'num soft'}>
                        {formatNumber(counts[state] ?? 0)}
                      </td>
                    ))}
                  </tr>
                ))}
              </Table>
              <Table
                label="Workers"
                texts={3}
                heads={['Worker', 'State', 'Fetches with', 'Pages at once', 'Memory', 'Started']}
              >
                {health.workers.map((worker) => (
                  <tr key={worker.id}>
                    <td>
                      {worker.engines.length === 0 ? 'scheduler' : 'worker'} at {worker.host}{' '}
                      <code className="soft">{worker.pid}</code>
                    </td>
                    <td>
                      {worker.refuses === null ? (
                        <Status status="succeeded" word="takes work" />
                      ) : (
                        <Status status="attention" word={worker.refuses} />
                      )}
                    </td>
                    <td className="soft">{worker.engines.join(', ')}</td>
                    <td className="num">
                      {worker.engines.length === 0 ? '–' : capacityText(worker.capacity)}
                    </td>
                    <td className="num">
                      {worker.memory_bytes === null ? '–' : formatBytes(worker.memory_bytes)}
                    </td>
                    <td className="num">
                      <When at={worker.started_at} />
                    </td>
                  </tr>
                ))}
              </Table>
              <Fetches fetches={health.fetches} />
              <Table label="Largest tables" heads={['Table', 'Rows, about', 'Size', 'Share']}>
                {health.database.tables.map(({ name, bytes, rows }) => (
                  <tr key={name}>
                    <td>
                      <code>{name}</code>
                    </td>
                    <td className="num">{formatNumber(rows)}</td>
                    <td className="num">{formatBytes(bytes)}</td>
                    <td className="num soft">{formatShare(bytes, health.database.bytes)}</td>
                  </tr>
                ))}
              </Table>
            </>
          );
        }}
      </Loaded>
    </div>
  );
}
