import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { Unzip, UnzipInflate } from 'fflate';
import { streamXlsxRows, writeXlsxStream, type CellValue } from 'hucre/xlsx';
import { SHEET_EXITS, type SheetLimits } from './sheet-limits.ts';

/**
 * The entry point of the process that reads or writes one spreadsheet. It reads an archive at the standard input and writes
 * CSV, or reads lines of JSON, a list of cells each, and writes an archive. Formulas are never evaluated.
 */

const WATCH_MS = 10;
const MEGABYTE = 1024 ** 2;
const PIECE_BYTES = 65_536;

function leave(reason: keyof typeof SHEET_EXITS): never {
  process.exit(SHEET_EXITS[reason]);
}

/** Ends the process when it uses more than its limits. */
function watch({ maxMemoryMb, maxCpuMs }: SheetLimits): void {
  setInterval(() => {
    if (process.memoryUsage.rss() > maxMemoryMb * MEGABYTE) leave('memory');
    const { user, system } = process.cpuUsage();
    if ((user + system) / 1_000 > maxCpuMs) leave('time');
  }, WATCH_MS).unref();
}

/** Unpacks the archive once, without keeping it, and ends the process when it holds too much, or a document type. */
function checkArchive(archive: Uint8Array, { maxUnpackedMb }: SheetLimits): void {
  let size = 0;
  const unzip = new Unzip((file) => {
    let tail = '';
    file.ondata = (error, piece) => {
      if (error) leave('damaged');
      size += piece.length;
      if (size > maxUnpackedMb * MEGABYTE) leave('bytes');
      const text = tail + Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('latin1');
      if (/<!doctype/i.test(text)) leave('type');
      tail = text.slice(-10);
    };
    file.start();
  });
  unzip.register(UnzipInflate);
  for (let at = 0; at < archive.length; at += PIECE_BYTES)
    unzip.push(archive.subarray(at, at + PIECE_BYTES), at + PIECE_BYTES >= archive.length);
}

function toText(value: CellValue): string {
  if (value === null || value === undefined) return '';
  if (!(value instanceof Date)) return String(value);
  const text = value.toISOString();
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text;
}

/** Whether the file may have had other digits: whoever uses the number as an id would mean another thing. */
function isRounded(value: CellValue): boolean {
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
}

function toCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

async function send(text: string | Uint8Array): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

/** The first sheet as CSV: its first row that is not empty is the header, whose columns each line has. */
async function read(limits: SheetLimits): Promise<void> {
  const archive = new Uint8Array(await buffer(process.stdin));
  checkArchive(archive, limits);
  let width = 0;
  let count = -1;
  for await (const { values } of streamXlsxRows(archive)) {
    const cells = values.map(toText);
    if (cells.every((cell) => cell.trim() === '')) continue;
    if (width === 0) width = cells.findLastIndex((cell) => cell.trim() !== '') + 1;
    count += 1;
    if (count > limits.maxRows) leave('rows');
    if (values.slice(0, width).some(isRounded)) leave('digits');
    const line = Array.from({ length: width }, (_, index) => toCell(cells[index] ?? ''));
    await send(`${line.join(',')}\n`);
  }
}

async function* readRows(
  lines: AsyncIterable<string>,
  { maxRows, maxUnpackedMb }: SheetLimits,
): AsyncGenerator<CellValue[], void, undefined> {
  let count = 0;
  let size = 0;
  for await (const line of lines) {
    count += 1;
    size += line.length;
    if (count > maxRows) leave('rows');
    if (size > maxUnpackedMb * MEGABYTE) leave('bytes');
    yield JSON.parse(line) as CellValue[];
  }
}

/** The header is the first line. The archive leaves when it is whole, so that a refusal is no half file. */
async function write(limits: SheetLimits): Promise<void> {
  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })[
    Symbol.asyncIterator
  ]();
  const first = await lines.next();
  const names = JSON.parse(first.done === true ? '[]' : first.value) as string[];
  const rows = readRows({ [Symbol.asyncIterator]: () => lines }, limits);
  const columns = names.map((header) => ({ header }));
  const archive = await buffer(writeXlsxStream(rows, { name: 'Rows', columns, freezePane: { rows: 1 } }));
  await send(archive);
}

const limits = JSON.parse(process.argv[3] ?? '') as SheetLimits;
watch(limits);
try {
  await (process.argv[2] === 'read' ? read(limits) : write(limits));
} catch {
  leave('damaged');
}
process.stdout.end(() => process.exit(0));
