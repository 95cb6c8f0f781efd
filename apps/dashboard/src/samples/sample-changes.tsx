import type { CallOutput } from '../api/call.ts';
import { cellText, shortUrl } from '../format/shorten.ts';
import { Status } from '../parts/values.tsx';

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

/** What two versions read differently on samples, field by field; broken expectations come first. */
export function SampleChanges({ changes }: { changes: readonly SampleChange[] }) {
  const ordered = [...changes].sort((a, b) => Number(isBroken(b)) - Number(isBroken(a)));
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label="Differences on samples">
      <table className="plain">
        <thead>
          <tr>
            <th scope="col">Sample</th>
            <th scope="col">Field</th>
            <th scope="col">Read before</th>
            <th scope="col">Reads now</th>
            <th scope="col">Expected</th>
          </tr>
        </thead>
        <tbody>
          {ordered.map((change) => (
            <tr key={`${change.sample} ${change.field}`}>
              <td className="soft" title={change.url ?? change.sample}>
                {change.url === null ? change.sample : shortUrl(change.url)}
              </td>
              <td>
                <strong>{change.field}</strong>
              </td>
              <td>
                <Value value={change.before} />
              </td>
              <td>
                <Value value={change.after} isBad={isBroken(change)} />
              </td>
              <td>
                {change.expected === undefined ? (
                  <span className="soft">not pinned</span>
                ) : isBroken(change) ? (
                  <Value value={change.expected} />
                ) : (
                  <Status status="succeeded" word="as expected" />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
