import type { FieldChange } from './diff-schemas.ts';
import styles from './parsers.module.css';

const KINDS = {
  added: { sign: '+', className: 'good-text' },
  removed: { sign: '−', className: 'bad-text' },
  changed: { sign: '~', className: '' },
};

function Change({ change }: { change: FieldChange }) {
  const { sign, className } = KINDS[change.kind];
  return (
    <li className={`row ${styles.change}`}>
      <code aria-label={change.kind} className={className}>
        {sign}
      </code>
      <strong>{change.path}</strong>
      <span className="grow small">
        {change.before !== undefined && <code className={styles.before}>{change.before}</code>}{' '}
        {change.after !== undefined && <code className={styles.after}>{change.after}</code>}
      </span>
    </li>
  );
}

/** The fields that a version changes. */
export function FieldChanges({ changes }: { changes: readonly FieldChange[] }) {
  if (changes.length === 0) return <p className="soft small">The same fields as before.</p>;
  return (
    <ul className={styles.changes}>
      {changes.map((change) => (
        <Change key={change.path} change={change} />
      ))}
    </ul>
  );
}
