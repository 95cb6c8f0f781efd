import type { LedgerKind } from '@gleaner/contracts/values';
import type { CallOutput } from '../api/call.ts';
import { formatNumber } from '../format/format.ts';

export type Entry = CallOutput<'listLedger'>['entries'][number];

const WORDS = {
  grant: 'Added',
  reserve: 'Set aside',
  settle: 'Used',
  release: 'Given back',
} satisfies Record<LedgerKind, string>;

/** Entries that change the balance; the others set credits aside or give them back. */
const CHANGES_BALANCE = {
  grant: true,
  reserve: false,
  settle: true,
  release: false,
} satisfies Record<LedgerKind, boolean>;

/** The line of one entry, or of the entries of a run. */
function rowOf(first: Entry, entries: readonly Entry[], isPart = false) {
  const sumOf = (kind: LedgerKind): number =>
    entries.reduce((sum, entry) => (entry.kind === kind ? sum + entry.credits : sum), 0);
  const aside = sumOf('reserve') - sumOf('release');
  const hasUse = entries.some(({ kind }) => kind === 'settle');
  const unused = aside > 0 ? 'reserve' : 'release';
  const kind = first.kind === 'grant' ? 'grant' : hasUse ? 'settle' : unused;
  const credits = kind === 'reserve' ? aside : sumOf(kind);
  return {
    id: entries.length === 1 ? first.id : `run ${first.reference}`,
    at: first.created_at,
    reference: first.reference,
    word: WORDS[kind],
    /** With its sign; set aside and given back change no balance, so they have none. */
    credits: kind === 'settle' ? -credits : credits,
    isNeutral: !CHANGES_BALANCE[kind],
    count: entries.length,
    /** An entry of an opened run. */
    isPart,
  };
}

/** A line of the ledger: one entry, or all those of a run that are read so far. */
export type LedgerRow = ReturnType<typeof rowOf>;

/**
 * The ledger with one line a run, at the place of its latest entry; an opened run is followed by its entries.
 * @param entries newest first
 * @param opened references of the opened runs
 */
export function ledgerRows(entries: readonly Entry[], opened: ReadonlySet<string>): LedgerRow[] {
  // Grants have a reference each.
  const runs = Map.groupBy(entries, ({ kind, id, reference }) => (kind === 'grant' ? id : reference));
  return [...runs.values()].flatMap((parts) => {
    const [first] = parts;
    if (!first) return [];
    const isOpen = parts.length > 1 && opened.has(first.reference);
    return [rowOf(first, parts), ...(isOpen ? parts.map((part) => rowOf(part, [part], true)) : [])];
  });
}

/** The credits of a line with their sign, where they change the balance. */
export function signedCredits({ credits, isNeutral, word }: LedgerRow): string {
  if (isNeutral) return formatNumber(credits);
  if (credits < 0) return `−${formatNumber(-credits)}`;
  return word === WORDS.settle ? '0' : `+${formatNumber(credits)}`;
}
