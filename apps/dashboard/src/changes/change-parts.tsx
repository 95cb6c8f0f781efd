import { CHANGE_WORDS, type DifferentLine } from '@gleaner/contracts/values';
import type { ComponentType } from 'react';
import { IconPencil, IconPlus, IconRefresh, IconX } from '../parts/icons.ts';
import styles from './changes.module.css';
import { valuesOf, type Change, type ChangedValue, type ChangeKind } from './tell-change.ts';

const ICONS = {
  new: IconPlus,
  changed: IconPencil,
  removed: IconX,
  returned: IconRefresh,
} satisfies Record<ChangeKind, ComponentType<{ size?: number }>>;

/** The kinds of changes, as a filter names them. */
export const KIND_CHOICES = [
  { value: 'new', label: 'New' },
  { value: 'changed', label: 'Changed' },
  { value: 'removed', label: 'Gone' },
  { value: 'returned', label: 'Back' },
] satisfies { value: ChangeKind; label: string }[];

/** What became of the row, as icon, word and colour. */
export function KindMark({ kind }: { kind: ChangeKind }) {
  const Icon = ICONS[kind];
  return (
    <span className={`${styles.mark} ${styles[kind]}`}>
      <Icon size={14} />
      {CHANGE_WORDS[kind]}
    </span>
  );
}

/** The lines in which two texts differ. */
export function Difference({ lines }: { lines: readonly DifferentLine[] }) {
  return lines.map(({ side, text }, place) =>
    side === 'before' ? (
      <del key={place} className={`${styles.line} ${styles.before}`}>
        {text}
      </del>
    ) : (
      <ins key={place} className={`${styles.line} ${styles.after}`}>
        {text}
      </ins>
    ),
  );
}

const MOST_LINES = 3;

function Value({ before, after, lines }: Omit<ChangedValue, 'name'>) {
  if (lines !== undefined) return <Difference lines={lines.slice(0, MOST_LINES)} />;
  return (
    <>
      {before !== undefined && <del className={styles.before}>{before}</del>}
      {before !== undefined && after !== undefined && ' → '}
      {after !== undefined && <ins className={styles.after}>{after}</ins>}
    </>
  );
}

/** The values of a change in one line: `price 49 → 45.5`. */
export function ChangeValues({ change }: { change: Change }) {
  const values = valuesOf(change);
  const title = values
    .map(
      ({ name, before, after }) =>
        `${name}: ${[before, after].filter((one) => one !== undefined).join(' → ')}`,
    )
    .join('\n');
  return (
    <span className={styles.values} title={title}>
      {values.map(({ name, ...value }) => (
        <span key={name}>
          <span className="soft">{name}</span> <Value {...value} />
        </span>
      ))}
    </span>
  );
}
