import { useInfiniteQuery } from '@tanstack/react-query';
import { listQuery } from '../api/call.ts';
import { StepLine } from '../charts/step-line.tsx';
import { formatNumber } from '../format/format.ts';
import { FoldedText } from '../parts/folded-text.tsx';
import { ReadPages } from '../parts/listed.tsx';
import { PlainTable } from '../parts/plain-table.tsx';
import { When } from '../parts/when.tsx';
import { NamedRun } from '../runs/run-link.tsx';
import styles from './changes.module.css';
import { KindMark } from './change-parts.tsx';
import { stepsOf, valuesOverTime, type Change, type Held } from './tell-change.ts';

const MIN_STEPS = 3;
/** Characters from which on a value is folded. */
const LONG_VALUE = 200;

const COLUMNS = [
  {
    header: 'Value',
    cell: ({ value }: Held) =>
      value === undefined ? (
        <span className={styles.gone}>row gone</span>
      ) : (
        <FoldedText text={value} from={LONG_VALUE} className={styles.long} />
      ),
  },
  {
    header: 'Since',
    cell: ({ at }: Held) => (at === null ? <span className="soft">before</span> : <When at={at} isName />),
  },
  { header: 'Run', cell: ({ runId }: Held) => (runId === null ? '' : <NamedRun id={runId} />) },
];

/** A number over time, once it has changed twice. */
function ValueLine({ name, held }: { name: string; held: readonly Held[] }) {
  const steps = stepsOf(held);
  if (steps.length < MIN_STEPS) return null;
  const values = steps.map(({ value }) => value);
  const label = `${name} over time: from ${formatNumber(Math.min(...values))} to ${formatNumber(Math.max(...values))}`;
  return <StepLine label={label} steps={steps} until={Date.now()} />;
}

function Values({ changes }: { changes: readonly Change[] }) {
  const columns = valuesOverTime(changes);
  const [first] = changes;
  if (columns.length === 0)
    return first ? (
      <p className="soft">
        <KindMark kind={first.kind} /> <When at={first.at} isName />, and nothing has changed since.
      </p>
    ) : null;
  return (
    <>
      {columns.map(({ name, held }) => (
        <section key={name} aria-label={name} className="stack tight">
          <h3>{name}</h3>
          <ValueLine name={name} held={held} />
          <PlainTable
            label={`Values of ${name}`}
            isNarrow
            rows={held}
            rowKey={(_held, place) => held.length - place}
            columns={COLUMNS}
          />
        </section>
      ))}
    </>
  );
}

/** Each value that a row has had, newest first. */
export function RowHistory({
  params,
  rowKey,
}: {
  params: { id: string; table: string };
  rowKey: Readonly<Record<string, unknown>>;
}) {
  const query = useInfiniteQuery(
    listQuery('getRowHistory', { params, query: { key: JSON.stringify(rowKey) } }),
  );
  return (
    <section aria-label="History" className="stack tight">
      <h2>History</h2>
      <ReadPages
        query={query}
        what="the history"
        rowsOf={({ changes }) => changes}
        more="Later changes"
        empty="No change of this row is kept."
      >
        {(changes) => <Values changes={changes} />}
      </ReadPages>
    </section>
  );
}
