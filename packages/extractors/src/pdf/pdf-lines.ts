/** What pdf.js gives of a piece of text: the fields that are read here. */
export interface PdfItem {
  str: string;
  /** Points. */
  width: number;
  /** The last two are the place of its start, in points from the page's lower left corner. */
  transform: readonly number[];
  /** The next item begins a line. */
  hasEOL: boolean;
}

/** A line of a page. */
export interface PdfLine {
  /** Its texts between wide gaps, as in a row of a table. */
  cells: string[];
  /** Points. */
  size: number;
  left: number;
  right: number;
  /** From the bottom of the page. */
  y: number;
}

/** A gap of so many sizes of the letters parts cells. */
const CELL_GAP = 2;

interface Place {
  size: number;
  left: number;
  y: number;
}

function placeOf({ transform }: PdfItem): Place {
  const [, , c = 0, d = 0, left = 0, y = 0] = transform;
  return { size: Math.hypot(c, d), left, y };
}

/** Joins what has letters of one line; pdf.js gives gaps as items of spaces. */
function toLine(items: readonly PdfItem[]): PdfLine | undefined {
  const cells = [''];
  let line: Omit<PdfLine, 'cells'> | undefined;
  for (const item of items) {
    const { size, left, y } = placeOf(item);
    if (item.str.trim() === '') {
      cells[cells.length - 1] += item.str === '' ? '' : ' ';
      continue;
    }
    if (line !== undefined && left - line.right > CELL_GAP * size) cells.push('');
    cells[cells.length - 1] += item.str;
    const right = left + item.width;
    line =
      line === undefined
        ? { size, left, right, y }
        : { ...line, size: Math.max(line.size, size), right: Math.max(line.right, right) };
  }
  return line && { ...line, cells: cells.map((cell) => cell.replaceAll(/\s+/g, ' ').trim()) };
}

/** The lines of a page, in the order in which it draws them. */
export function toLines(items: readonly PdfItem[]): PdfLine[] {
  const lines: PdfLine[] = [];
  let own: PdfItem[] = [];
  const end = (): void => {
    const line = toLine(own);
    if (line !== undefined) lines.push(line);
    own = [];
  };
  for (const item of items) {
    own.push(item);
    if (item.hasEOL) end();
  }
  end();
  return lines;
}
