import type { Block, Phrasing } from '../content/nodes.ts';
import type { PdfLine } from './pdf-lines.ts';

/** The size of most letters. */
export interface Sizes {
  body: number;
  /** Sizes of headings, the largest first. */
  headings: number[];
}

/** Letters of a heading are larger than those of the body by this. */
const HEADING_RATIO = 1.15;
const MAX_HEADING_LENGTH = 200;
const MAX_DEPTH = 3;
/** A line that ends within this share of the block's width goes on in the next one. */
const FULL_SHARE = 0.2;
const USUAL_LEADING = 1.2;
/** A line that is further below than this many times the usual distance begins a block. */
const BLOCK_GAP = 1.3;
const BULLET = /^[•◦▪‣●○■–·*-]\s+/u;

function roundSize(size: number): number {
  return Math.round(size * 2) / 2;
}

export function measureSizes(pages: readonly (readonly PdfLine[])[]): Sizes {
  const letters = new Map<number, number>();
  for (const { size, cells } of pages.flat()) {
    const length = cells.reduce((sum, cell) => sum + cell.length, 0);
    letters.set(roundSize(size), (letters.get(roundSize(size)) ?? 0) + length);
  }
  const [[body] = [0]] = [...letters].sort(([, a], [, b]) => b - a);
  const headings = [...letters.keys()].filter((size) => size >= body * HEADING_RATIO).sort((a, b) => b - a);
  return { body, headings };
}

function textOf({ cells }: PdfLine): string {
  return cells.join(' ');
}

/** The usual distance of the page's lines, in sizes of their letters. */
function leadingOf(lines: readonly PdfLine[]): number {
  const steps = lines
    .flatMap(({ y, size }, index) => {
      const step = ((lines[index - 1]?.y ?? y) - y) / size;
      return step > 0.5 && step < 4 ? [step] : [];
    })
    .sort((a, b) => a - b);
  return Math.max(USUAL_LEADING, steps[Math.floor(steps.length / 4)] ?? 0);
}

/** Whether a line doesn't continue the block of the one before. */
function begins(line: PdfLine, before: PdfLine, leading: number): boolean {
  if (Math.abs(line.size - before.size) > 0.1 * before.size) return true;
  if (BULLET.test(textOf(line))) return true;
  const step = (before.y - line.y) / line.size;
  if (step > leading * BLOCK_GAP) return true;
  const isIndented = line.left - before.left > 0.8 * line.size && step > 0;
  const hasEnded = /[.!?:]["”’»)]?$/u.test(textOf(before));
  return hasEnded && ((isIndented && !BULLET.test(textOf(before))) || step < 0);
}

/** The lines of a page by blocks. */
export function groupLines(lines: readonly PdfLine[]): PdfLine[][] {
  const leading = leadingOf(lines);
  const groups: PdfLine[][] = [];
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1];
    const group = groups.at(-1);
    if (group === undefined || before === undefined || begins(line, before, leading)) groups.push([line]);
    else group.push(line);
  }
  return groups;
}

export function writeText(groups: readonly (readonly PdfLine[])[]): string {
  return groups.map((lines) => lines.map(textOf).join('\n')).join('\n\n');
}

/** Joins lines that go on: a word that was parted becomes whole; others stay lines. */
function toPhrasing(lines: readonly PdfLine[]): Phrasing[] {
  const left = Math.min(...lines.map((line) => line.left));
  const right = Math.max(...lines.map((line) => line.right));
  const isFull = (line: PdfLine): boolean =>
    line.cells.length === 1 && right - line.right < FULL_SHARE * (right - left);
  const phrasing: Phrasing[] = [];
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1];
    let value = textOf(line);
    if (next === undefined) phrasing.push({ type: 'text', value });
    else if (isFull(line)) {
      const isParted = /\p{L}-$/u.test(value) && /^\p{Ll}/u.test(textOf(next));
      value = isParted || value.endsWith('\u00ad') ? value.slice(0, -1) : `${value} `;
      phrasing.push({ type: 'text', value });
    } else phrasing.push({ type: 'text', value }, { type: 'break' });
  }
  return phrasing;
}

function isTable(lines: readonly PdfLine[]): boolean {
  const columns = lines[0]?.cells.length ?? 0;
  return lines.length > 1 && columns > 1 && lines.every(({ cells }) => cells.length === columns);
}

function headingOf(lines: readonly PdfLine[], { headings }: Sizes): Block | undefined {
  const text = lines.map(textOf).join(' ');
  const level = headings.indexOf(roundSize(lines[0]?.size ?? 0));
  if (level === -1 || text.length > MAX_HEADING_LENGTH || !/\p{L}/u.test(text)) return undefined;
  const children: Phrasing[] = [{ type: 'text', value: text }];
  return { type: 'heading', depth: Math.min(level + 1, MAX_DEPTH), children };
}

/** The blocks of a page: headings by the size of their letters, lists by their marks, tables by the gaps in lines. */
export function toBlocks(groups: readonly (readonly PdfLine[])[], sizes: Sizes): Block[] {
  const blocks: Block[] = [];
  for (const lines of groups) {
    const heading = headingOf(lines, sizes);
    const first = lines[0];
    if (heading !== undefined) blocks.push(heading);
    else if (isTable(lines)) {
      const rows = lines.map(({ cells }) => cells.map((value): Phrasing[] => [{ type: 'text', value }]));
      blocks.push({ type: 'table', rows });
    } else if (first !== undefined && BULLET.test(textOf(first))) {
      const bare = { ...first, cells: [textOf(first).replace(BULLET, '')] };
      const children = toPhrasing([bare, ...lines.slice(1)]);
      const item: Block[] = [{ type: 'paragraph', isOwn: false, children }];
      const list = blocks.at(-1);
      if (list?.type === 'list') list.items.push(item);
      else blocks.push({ type: 'list', numbers: undefined, items: [item] });
    } else blocks.push({ type: 'paragraph', isOwn: true, children: toPhrasing(lines) });
  }
  return blocks;
}
