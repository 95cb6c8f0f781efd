import {
  areLongTexts,
  CHANGE_KINDS,
  CHANGE_WORDS,
  isObject,
  isOneOf,
  textDifference,
} from '@gleaner/contracts/values';
import type { AlertEvent, Line } from './alert-event.ts';

/** Changed rows that a message shows of one table; the others are a number. */
const MOST_ROWS = 10;
const MOST_VALUES = 5;
/** Lines of a text's difference. */
const MOST_LINES = 6;

/** A text of words of our own and of what pages gave, built part by part. */
interface Parts {
  words: string[];
  given: string[];
}

function add({ words, given }: Parts, word: string, value?: string): void {
  words[words.length - 1] += word;
  if (value === undefined) return;
  given.push(value);
  words.push('');
}

function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (isObject(value) && typeof value.bytes === 'number') return `a text of ${value.bytes} bytes`;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The lines that came and went in a long text. */
function addDifference(parts: Parts, before: string, after: string): void {
  const lines = textDifference(before, after);
  for (const { side, text } of lines.slice(0, MOST_LINES))
    add(parts, side === 'before' ? '\n− ' : '\n+ ', text);
  if (lines.length > MOST_LINES) add(parts, `\n${lines.length - MOST_LINES} more lines`);
}

function membersOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

/** Columns that name a row for people, the likeliest first. */
const TITLES = ['title', 'name', 'headline', 'heading', 'label'];

/** What a row is called: its title where its key is an address alone, else its key. */
function rowName(change: Record<string, unknown>): string {
  const key = membersOf(change.key);
  const row = membersOf(change.row ?? change.before);
  const title = TITLES.map((name) => row[name]).find(
    (value) => typeof value === 'string' && value.trim() !== '',
  );
  if (typeof title === 'string' && Object.keys(key).join() === '_url') return title;
  return Object.values(key).map(valueText).join(', ');
}

/** `Kettle A: price 49 → 45.5`, or `Kettle A: new`. */
function addRow(parts: Parts, value: unknown): void {
  const change = membersOf(value);
  const { kind } = change;
  add(parts, '\n• ', rowName(change));
  if (kind !== 'changed') {
    add(parts, `: ${isOneOf(CHANGE_KINDS, kind) ? CHANGE_WORDS[kind] : ''}`);
    return;
  }
  const before = membersOf(change.before);
  const after = Object.entries(membersOf(change.after));
  for (const [at, [name, now]] of after.slice(0, MOST_VALUES).entries()) {
    add(parts, at === 0 ? ': ' : ', ', name);
    if (areLongTexts(before[name], now)) addDifference(parts, before[name], String(now));
    else {
      add(parts, ' ', valueText(before[name]));
      add(parts, ' → ', valueText(now));
    }
  }
  if (after.length > MOST_VALUES) add(parts, ` and ${after.length - MOST_VALUES} more`);
}

/** What a run changed in a table: how many rows, and the first of them in a line each. */
export function describeRows({ data }: AlertEvent): Line {
  const counts = membersOf(data.counts);
  const database = membersOf(data.database);
  const counted = CHANGE_KINDS.filter((kind) => Number(counts[kind]) > 0);
  const total = counted.reduce((sum, kind) => sum + Number(counts[kind]), 0);
  const rows = Array.isArray(data.changes) ? data.changes.slice(0, MOST_ROWS) : [];
  const parts: Parts = { words: [''], given: [] };
  add(parts, '', valueText(data.table));
  add(parts, `: ${counted.map((kind) => `${Number(counts[kind])} ${CHANGE_WORDS[kind]}`).join(', ')}`);
  for (const row of rows) addRow(parts, row);
  if (total > rows.length) add(parts, `\nand ${total - rows.length} more rows`);
  const place = [database.id, data.table].map((part) => encodeURIComponent(String(part))).join('/');
  return { ...parts, path: `/databases/${place}?tab=changes` };
}
