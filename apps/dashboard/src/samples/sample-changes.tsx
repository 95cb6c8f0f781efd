import type { CallOutput } from '../api/call.ts';
import { cellText, shortUrl } from '../format/format.ts';
import { PlainTable, type PlainColumn } from '../parts/plain-table.tsx';
import { Status } from '../parts/page.tsx';

export type SampleChange = CallOutput<'compareParserVersions'>['changes'][number];

function isBroken(change: SampleChange): boolean {
  return (
    change.expected !== undefined && JSON.stringify(change.expected) !== JSON.stringify(change.after ?? null)
  );
}

function Value({ value, isBad = false }: { value: unknown; isBad?: boolean }) {
  const text = cellText(value);
  const className = isBad ? 'bad-text' : text === '' ? 'soft' : '';
  return (
    <span className={className} title={text}>
      {text === '' ? 'nothing' : text}
    </span>
  );
}

const COLUMNS: readonly PlainColumn<SampleChange>[] = [
  {
    header: 'Sample',
    className: 'soft',
    title: ({ url, sample }) => url ?? sample,
    cell: ({ url, sample }) => (url === null ? sample : shortUrl(url)),
  },
  { header: 'Field', cell: ({ field }) => <strong>{field}</strong> },
  { header: 'Read before', cell: ({ before }) => <Value value={before} /> },
  { header: 'Reads now', cell: (change) => <Value value={change.after} isBad={isBroken(change)} /> },
  {
    header: 'Expected',
    cell: (change) =>
      change.expected === undefined ? (
        <span className="soft">not pinned</span>
      ) : isBroken(change) ? (
        <Value value={change.expected} />
      ) : (
        <Status status="succeeded" word="as expected" />
      ),
  },
];

/** What two versions read differently on samples, field by field; broken expectations come first. */
export function SampleChanges({ changes }: { changes: readonly SampleChange[] }) {
  const ordered = [...changes].sort((a, b) => Number(isBroken(b)) - Number(isBroken(a)));
  return (
    <PlainTable
      label="Differences on samples"
      rows={ordered}
      rowKey={({ sample, field }) => `${sample} ${field}`}
      columns={COLUMNS}
    />
  );
}
