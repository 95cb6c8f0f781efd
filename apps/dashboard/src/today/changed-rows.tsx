import { CHANGE_WORDS } from '@gleaner/contracts/values';
import { Link } from '@tanstack/react-router';
import { formatNumber } from '../format/format.ts';
import type { Collection } from './runs-squares.ts';

type Changed = NonNullable<Collection['changed']>;

/** `3 new, 12 changed, 1 gone`, or that nothing did. */
export function changedText(changed: Changed): string {
  const parts = Object.entries(CHANGE_WORDS).flatMap(([kind, word]) => {
    const count = changed[kind as keyof Changed];
    return count === 0 ? [] : [`${formatNumber(count)} ${word}`];
  });
  return parts.length === 0 ? 'none' : parts.join(', ');
}

/** What all of these changed together; undefined when none of their tables keeps its changes. */
export function sumOfChanged(collections: readonly Pick<Collection, 'changed'>[]): Changed | undefined {
  const known = collections.flatMap(({ changed }) => changed ?? []);
  if (known.length === 0) return undefined;
  const sum = (kind: keyof Changed): number => known.reduce((total, one) => total + one[kind], 0);
  return { new: sum('new'), changed: sum('changed'), removed: sum('removed'), returned: sum('returned') };
}

/** The rows that changed in a day, which lead to the changes of their table. */
export function ChangedRows({ collection: { changed, database, table } }: { collection: Collection }) {
  if (changed === null) return <span className="soft">–</span>;
  const text = changedText(changed);
  if (database === null || table === null || text === 'none') return <span className="soft">{text}</span>;
  return (
    <Link
      to="/databases/$databaseId/$table"
      params={{ databaseId: database, table }}
      search={{ tab: 'changes' }}
    >
      {text}
    </Link>
  );
}
