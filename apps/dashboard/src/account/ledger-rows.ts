import type { LedgerKind } from '@gleaner/contracts/values';
import type { CallOutput } from '../api/call.ts';
import { formatNumber } from '../format/format.ts';

export type Entry = CallOutput<'listLedger'>['entries'][number];

/** A line of the ledger: one entry, or all those of a run that are read so far. */
export interface LedgerRow {
  id: string;
  at: string;
  reference: string;
  word: string;
  /** With its sign; set aside and given back change no balance, so they have none. */
  credits: number;
  isNeutral: boolean;
  /** Entries that the line sums up; 1 for a single one. */
  count: number;
  /** An entry of an opened run. */
  isPart: boolean;
}

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

function rowOfEntry(entry: Entry, isPart: boolean): LedgerRow {
  const { id, kind, credits, reference, created_at: at } = entry;
  return {
    id,
    at,
    reference,
    word: WORDS[kind],
    credits: kind === 'settle' ? -credits : credits,
    isNeutral: !CHANGES_BALANCE[kind],
    count: 1,
    isPart,
  };
}

function sumOf(entries: readonly Entry[], kind: Entry['kind']): number {
  return entries.reduce((sum, entry) => (entry.kind === kind ? sum + entry.credits : sum), 0);
}

function rowOfRun(reference: string, entries: readonly Entry[]): LedgerRow {
  const used = sumOf(entries, 'settle');
  const aside = Math.max(0, sumOf(entries, 'reserve') - sumOf(entries, 'release'));
  const hasUse = entries.some(({ kind }) => kind === 'settle');
  return {
    id: `run ${reference}`,
    at: entries[0]?.created_at ?? '',
    reference,
    word: hasUse ? WORDS.settle : aside > 0 ? WORDS.reserve : WORDS.release,
    credits: hasUse ? -used : aside > 0 ? aside : sumOf(entries, 'release'),
    isNeutral: !hasUse,
    count: entries.length,
    isPart: false,
  };
}

/**
 * The ledger with one line a run, at the place of its latest entry; an opened run is followed by its entries.
 * @param entries newest first
 * @param opened references of the opened runs
 */
export function ledgerRows(entries: readonly Entry[], opened: ReadonlySet<string>): LedgerRow[] {
  const runs = new Map<string, Entry[]>();
  for (const entry of entries) {
    // Grants have a reference each.
    const key = entry.kind === 'grant' ? entry.id : entry.reference;
    const known = runs.get(key);
    if (known) known.push(entry);
    else runs.set(key, [entry]);
  }
  return [...runs.values()].flatMap((parts) => {
    const [first] = parts;
    if (!first) return [];
    if (parts.length === 1) return [rowOfEntry(first, false)];
    const row = rowOfRun(first.reference, parts);
    return opened.has(first.reference) ? [row, ...parts.map((part) => rowOfEntry(part, true))] : [row];
  });
}

/** The credits of a line with their sign, where they change the balance. */
export function signedCredits({ credits, isNeutral, word }: LedgerRow): string {
  if (isNeutral) return formatNumber(credits);
  if (credits < 0) return `−${formatNumber(-credits)}`;
  return word === WORDS.settle ? '0' : `+${formatNumber(credits)}`;
}
