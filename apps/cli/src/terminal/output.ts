import { styleText } from 'node:util';
import { clean } from './clean.ts';
import { formatLines, fitTable, type Row } from './table.ts';

/**
 * Writes a line to standard output. Page text is cleaned for a terminal, and stays unchanged in a pipe.
 * @param onWritten called when the line has left the process
 */
export function print(line: string, onWritten?: () => void): void {
  process.stdout.write(`${process.stdout.isTTY ? clean(line) : line}\n`, onWritten);
}

/** The same for text that was cleaned, and may have colours. */
export function printFormatted(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** A number with its noun: `1 page`, `2 pages`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Writes a line to standard error, beside the data. */
export function note(line: string): void {
  process.stderr.write(`${clean(line)}\n`);
}

export function hasColours(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY && stream.hasColors();
}

/** JSON of a value: indented for a person, one line in a pipe. */
export function printJson(value: unknown): void {
  print(process.stdout.isTTY ? JSON.stringify(value, null, 2) : JSON.stringify(value));
}

/** Rows as a table on a terminal, as lines with tabs in a pipe. */
export function printRows(rows: readonly Row[]): void {
  const { stdout } = process;
  if (!stdout.isTTY) {
    for (const line of formatLines(rows)) printFormatted(line);
    return;
  }
  const { text, leftOut } = fitTable(rows, { columns: stdout.columns, isColoured: hasColours(stdout) });
  printFormatted(text);
  if (leftOut.length > 0) note(`No room for ${leftOut.join(', ')}: a wider terminal or --json shows all.`);
}

/** The fields of one record, a line each. */
export function printFields(record: Row): void {
  const { stdout } = process;
  const rows = Object.entries(record).map(([name, value]) => ({ name, value }));
  if (!stdout.isTTY) return printRows(rows);
  const width = Math.max(...rows.map(({ name }) => name.length));
  for (const line of formatLines(rows)) {
    const [name = '', ...rest] = line.split('\t');
    const label = name.padEnd(width);
    printFormatted(`${hasColours(stdout) ? styleText('dim', label) : label}  ${rest.join(' ')}`);
  }
}

/** Prints a record: with --json as the service gave it. */
export function show<R>(record: R, json: boolean | undefined, print: (record: R) => void): void {
  if (json === true) printJson(record);
  else print(record);
}
