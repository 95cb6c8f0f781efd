import { useQuery } from '@tanstack/react-query';
import type { Health } from '../api/operator.ts';
import { operationQuery } from '../api/call.ts';
import { formatBytes, formatNumber, formatShare, plural, capitalised } from '../format/format.ts';
import { Facts, Loaded, Status } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { PlainTable, type PlainColumn, type PlainTableProps } from '../parts/plain-table.tsx';
import { ageText, capacityText, concernsOf } from './concerns.ts';
import { DayCharts } from './day-charts.tsx';
import { QueuePause } from './queue-pause.tsx';
import styles from './operator.module.css';

const LIVE_MS = 5_000;
const QUEUE_STATES = ['waiting', 'prioritized', 'active', 'delayed', 'failed'];

type Queue = Health['queues'][number];
type Worker = Health['workers'][number];
type Fetches = Health['fetches'][number];
type Table = Health['database']['tables'][number];

const QUEUE_COLUMNS: readonly PlainColumn<Queue>[] = [
  {
    header: 'Queue',
    cell: ({ name, paused }) => (paused ? <Status status="attention" word={`${name}, paused`} /> : name),
  },
  ...QUEUE_STATES.map((state): PlainColumn<Queue> => ({
    header: capitalised(state),
    align: 'right',
    className: ({ counts }) => (counts[state] ? undefined : 'soft'),
    cell: ({ counts }) => formatNumber(counts[state] ?? 0),
  })),
  {
    header: 'Pause',
    isHeaderHidden: true,
    cell: ({ name, paused }) => <QueuePause name={name} isPaused={paused} />,
  },
];

const WORKER_COLUMNS: readonly PlainColumn<Worker>[] = [
  {
    header: 'Worker',
    cell: ({ engines, host, pid }) => (
      <>
        {engines.length === 0 ? 'scheduler' : 'worker'} at {host} <code className="soft">{pid}</code>
      </>
    ),
  },
  {
    header: 'State',
    cell: ({ refuses }) =>
      refuses === null ? (
        <Status status="succeeded" word="takes work" />
      ) : (
        <Status status="attention" word={refuses} />
      ),
  },
  { header: 'Fetches with', className: 'soft', cell: ({ engines }) => engines.join(', ') },
  {
    header: 'Pages at once',
    align: 'right',
    cell: ({ engines, capacity }) => (engines.length === 0 ? '–' : capacityText(capacity)),
  },
  {
    header: 'Memory',
    align: 'right',
    cell: ({ memory_bytes: bytes }) => (bytes === null ? '–' : formatBytes(bytes)),
  },
  { header: 'Started', align: 'right', cell: (worker) => <When at={worker.started_at} /> },
];

function fetchColumns(total: number): readonly PlainColumn<Fetches>[] {
  return [
    { header: 'Outcome', cell: ({ outcome }) => outcome.replaceAll('_', ' ') },
    { header: 'Engine', className: 'soft', cell: ({ engine }) => engine },
    { header: 'Proxy', className: 'soft', cell: ({ tier }) => tier },
    { header: 'Pages', align: 'right', cell: ({ count }) => formatNumber(count) },
    { header: 'Share', align: 'right', className: 'soft', cell: ({ count }) => formatShare(count, total) },
  ];
}

function tableColumns(totalBytes: number): readonly PlainColumn<Table>[] {
  return [
    { header: 'Table', cell: ({ name }) => <code>{name}</code> },
    {
      header: 'Rows, about',
      align: 'right',
      cell: ({ rows }) => (rows === null ? 'not counted yet' : formatNumber(rows)),
    },
    { header: 'Size', align: 'right', cell: ({ bytes }) => formatBytes(bytes) },
    { header: 'Share', align: 'right', className: 'soft', cell: (one) => formatShare(one.bytes, totalBytes) },
  ];
}

interface SectionProps<Row> extends PlainTableProps<Row> {
  empty?: string;
}

function Section<Row>({ label, rows, empty, ...table }: SectionProps<Row>) {
  return (
    <section className="section stack tight" aria-label={label}>
      <h2>{label}</h2>
      {rows.length === 0 && empty !== undefined ? (
        <p className="soft">{empty}</p>
      ) : (
        <PlainTable label={`${label}, table`} rows={rows} {...table} />
      )}
    </section>
  );
}

function Concerns({ concerns }: { concerns: readonly string[] }) {
  if (concerns.length === 0)
    return (
      <div className="notice good" role="status">
        <Status status="succeeded" word="No problems: workers take work, and nothing is overdue." />
      </div>
    );
  return (
    <div className="notice" role="status">
      <ul className={styles.concerns}>
        {concerns.map((concern) => (
          <li key={concern}>{concern}</li>
        ))}
      </ul>
    </div>
  );
}

function Overview({ health: { runs, waiting, webhooks, database } }: { health: Health }) {
  const oldest = runs.oldest_pending_seconds;
  const overdue = webhooks.oldest_due_seconds;
  return (
    <div className="section">
      <Facts
        facts={[
          [
            'Runs',
            `${formatNumber(runs.running)} running, ${formatNumber(runs.pending)} waiting${oldest === null ? '' : `, the oldest for ${ageText(oldest)}`}`,
          ],
          [
            'Pages that wait',
            waiting.length > 0 &&
              waiting.map(({ reason, tasks, until }) => (
                <div key={reason}>
                  {formatNumber(tasks)}: {reason}, next try <When at={until} isClock />
                </div>
              )),
          ],
          [
            'Webhooks',
            `${formatNumber(webhooks.pending)} to deliver${webhooks.failing > 0 ? `, of which ${formatNumber(webhooks.failing)} failed so far` : ''}, ${formatNumber(webhooks.failed)} given up${overdue === null ? '' : `, overdue by ${ageText(overdue)}`}`,
          ],
          [
            'Database',
            `${formatBytes(database.bytes)}, ${database.disk_free === null ? 'free disk not known' : `${formatShare(database.disk_free, 1)} of its disk free`}, ${formatBytes(database.account_limit_bytes)} for each account, ${plural(database.connections, 'connection')}, oldest transaction ${ageText(database.oldest_transaction_seconds)}`,
          ],
        ]}
      />
    </div>
  );
}

/** Whether the installation is well, and where it isn't. */
export function HealthTab() {
  const query = useQuery({ ...operationQuery('getSystemHealth', {}), refetchInterval: LIVE_MS });
  return (
    <div className={styles.health}>
      <Loaded query={query} what="the health">
        {(health) => (
          <>
            <Concerns concerns={concernsOf(health)} />
            <Overview health={health} />
            <DayCharts />
            <Section
              label="Queues"
              columns={QUEUE_COLUMNS}
              rows={health.queues}
              rowKey={({ name }) => name}
            />
            <Section label="Workers" columns={WORKER_COLUMNS} rows={health.workers} rowKey={({ id }) => id} />
            <Section
              label="Fetches since the workers started"
              columns={fetchColumns(health.fetches.reduce((sum, { count }) => sum + count, 0))}
              rows={health.fetches.slice(0, 15)}
              rowKey={({ engine, tier, outcome }) => `${engine} ${tier} ${outcome}`}
              empty="Nothing has been fetched yet."
            />
            <Section
              label="Largest tables"
              columns={tableColumns(health.database.bytes)}
              rows={health.database.tables}
              rowKey={({ name }) => name}
            />
          </>
        )}
      </Loaded>
    </div>
  );
}
