/** Pasted lines with the values beside their addresses. */
export interface PastedTable {
  /** Names of the values. */
  columns: string[];
  inputs: Record<string, string>[];
}

/** The cells of a text with quotes as CSV has them. */
function readCells(text: string, separator: string): string[][] {
  const rows: string[][] = [[]];
  let cell = '';
  let isQuoted = false;
  const endCell = (): void => {
    rows.at(-1)?.push(cell.trim());
    cell = '';
  };
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (isQuoted && letter === '"' && text[at + 1] === '"') {
      cell += letter;
      at += 1;
    } else if (letter === '"' && (isQuoted || cell === '')) isQuoted = !isQuoted;
    else if (!isQuoted && letter === separator) endCell();
    else if (!isQuoted && letter === '\n') {
      endCell();
      rows.push([]);
    } else cell += letter;
  }
  endCell();
  return rows.filter((cells) => cells.some((one) => one !== ''));
}

/** Reads lines whose first one names columns, `url` among them, with commas or tabs between; undefined for others. */
export function readPasted(text: string): PastedTable | undefined {
  const [line = ''] = text.trimStart().split('\n', 1);
  const separator = line.includes('\t') ? '\t' : ',';
  const [header = [], ...rows] = readCells(text.trim(), separator);
  const names = header.map((name) => name.toLowerCase());
  if (names.length < 2 || !names.includes('url')) return undefined;
  return {
    columns: names.filter((name) => name !== 'url' && name !== ''),
    inputs: rows.map((cells) =>
      Object.fromEntries(
        names.map((name, at) => [name, cells[at] ?? ''] as const).filter(([, cell]) => cell !== ''),
      ),
    ),
  };
}
