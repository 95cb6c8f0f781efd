import { CHANGE_WORDS } from '@gleaner/contracts/values';
import { stringify } from 'csv-stringify/sync';
import { guardFormula, toCell } from '../exports/export-file.ts';
import type { Change } from './show-change.ts';

function cellOf(value: unknown): string {
  return toCell(value, (text) => text);
}

export const CSV_HEAD = stringify([['id', 'at', 'kind', 'run_id', 'key', 'column', 'before', 'after']]);

/** Lines of a spreadsheet: one for each value that changed, came or went. */
export function toCsv(changes: readonly Change[]): string {
  const lines = changes.flatMap(({ id, at, kind, run_id: runId, key, before, after, row }) => {
    const values = after ?? row ?? before ?? {};
    return Object.keys(values).map((column) =>
      [
        id,
        at,
        kind,
        runId ?? '',
        Object.values(key).map(cellOf).join(', '),
        column,
        cellOf(before?.[column]),
        cellOf((after ?? row)?.[column]),
      ].map(guardFormula),
    );
  });
  return stringify(lines);
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text in XML: escaped, without characters that XML can't have. */
function xml(text: string): string {
  return text
    .replaceAll(/[\0-\u0008\u000B\u000C\u000E-\u001F\uD800-\uDFFF\uFFFE\uFFFF]/gu, '')
    .replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? '');
}

const MOST_CHARACTERS = 300;

function short(value: unknown): string {
  const text = cellOf(value) || '–';
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

function toEntry(feed: string, change: Change): string {
  const { id, at, kind, key, before, after, row } = change;
  const values = Object.entries(after ?? row ?? before ?? {}).map(([name, value]) =>
    after ? `${name} ${short(before?.[name])} → ${short(value)}` : `${name}: ${short(value)}`,
  );
  const name = Object.values(key).map(short).join(', ');
  const title = `${name}: ${after ? values.join(', ') : CHANGE_WORDS[kind]}`;
  return `<entry><id>urn:gleaner:${feed}:${id}</id><title>${xml(title.slice(0, MOST_CHARACTERS))}</title><updated>${at}</updated>
<content type="text">${xml(values.join('\n'))}</content></entry>\n`;
}

interface AtomFacts {
  /** The identity of the table's feed. */
  feed: string;
  title: string;
  /** The page that shows the changes. */
  url: string;
  /** Newest first. */
  changes: readonly Change[];
}

/** Changes as an Atom feed. The ids of entries stay; a history that begins anew has others. */
export function toAtom({ feed, title, url, changes }: AtomFacts): string {
  const updated =
    changes
      .map(({ at }) => at)
      .toSorted()
      .at(-1) ?? '1970-01-01T00:00:00.000Z';
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><id>urn:gleaner:${feed}</id><title>${xml(title)}</title><updated>${updated}</updated>
<author><name>Gleaner</name></author><link rel="alternate" href="${xml(url)}"/>
${changes.map((change) => toEntry(feed, change)).join('')}</feed>
`;
}
