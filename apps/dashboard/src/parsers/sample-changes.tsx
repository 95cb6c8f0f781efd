import type { CallOutput } from '../api/call.ts';
import { cellText, shortUrl } from '../format/shorten.ts';
import { Status } from '../parts/values.tsx';

export type SampleChange = CallOutput<'compareParserVersions'>['changes'][number];

function isBroken(change: SampleChange): boolean {
  return (
    change.expected !== undefined && JSON.stringify(change.expected) !== JSON.stringify(change.after ?? null)
  );
}

function Value({ value }: { value: unknown }) {
  const text = cellText(value);
  return <span title={text}>{text === '' ? <span className="soft">nothing</span> : text}</span>;
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
              <td className={isBroken(change) ? 'bad-text' : ''}>
                <Value value={change.after} />
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
