/** The counts of a list of inputs, as far as it has been read. */
export interface InputCount {
  /** Lines that are not blank. */
  lines: number;
  /** Lines that can't be an input. */
  refused: number;
  /** The first of them. */
  examples: { line: number; text: string }[];
  /** Names of values beside the address: of the other columns of a CSV, or of the first objects. */
  columns: string[];
  isDone: boolean;
  /** A spreadsheet, which the service alone reads: nothing is counted. */
  isSheet?: boolean;
}

const MAX_EXAMPLES = 20;
const SHOWN_CHARACTERS = 120;
/** Lines among which names of values are looked for. */
const NAMED_LINES = 100;

function isUrlLine(line: string): boolean {
  // NDJSON objects and strings, and CSV, are checked by the server.
  if (/^[{"[]/.test(line)) return true;
  const [text = ''] = line.split(/[,\t;]/, 1);
  return /^https?:\/\/\S/i.test(text) && URL.canParse(text.trim());
}

/** The names of the first line of a CSV; undefined when it is none. Case does not matter to the service. */
function readHeader(line: string): string[] | undefined {
  const names = line.split(/[,;\t]/).map((name) => name.replaceAll('"', '').trim().toLowerCase());
  return names.includes('url') ? names : undefined;
}

/** The names of the values of a line of NDJSON. */
function namesOfObject(line: string): string[] {
  if (!line.startsWith('{')) return [];
  try {
    return Object.keys(JSON.parse(line) as object);
  } catch {
    return [];
  }
}

/** The bytes at the beginning that show the header. */
const HEAD_BYTES = 65_536;

/** Whether the file is a spreadsheet (xlsx), which the service reads. */
async function isSheet(inputs: Blob): Promise<boolean> {
  const start = new Uint8Array(await inputs.slice(0, 4).arrayBuffer());
  return start[0] === 0x50 && start[1] === 0x4b && start[2] === 3 && start[3] === 4;
}

/** The form in which the service reads a list, by its first line. */
export async function formatOfInputs(inputs: Blob): Promise<'csv' | 'txt'> {
  const [line = ''] = (await inputs.slice(0, HEAD_BYTES).text()).replace(/^\uFEFF/, '').split('\n', 1);
  return readHeader(line) === undefined ? 'txt' : 'csv';
}

/** Cells that were copied from a spreadsheet, with tabs between them, as CSV; another text as it is. */
export function withCommas(text: string): string {
  const [head = ''] = text.split('\n', 1);
  if (!head.includes('\t') || readHeader(head) === undefined) return text;
  const toCell = (cell: string): string => (/[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return text
    .split(/\r?\n/)
    .map((line) => line.split('\t').map(toCell).join(','))
    .join('\n');
}

type LineKind = 'blank' | 'header' | 'good' | 'refused';

/** Makes a function that tells the kind of each line of a list. Call it for each line in order. */
function createLineCheck(checksUrls: boolean): (line: string) => LineKind {
  let isFirst = true;
  let hasHeader = false;
  return (line) => {
    if (line === '') return 'blank';
    if (isFirst && readHeader(line) !== undefined) {
      isFirst = false;
      hasHeader = true;
      return 'header';
    }
    isFirst = false;
    // Columns of a CSV may have any order.
    return !checksUrls || hasHeader || isUrlLine(line) ? 'good' : 'refused';
  };
}

/** The text without the lines that can't be an address. */
export function withoutRefused(text: string): string {
  const kindOf = createLineCheck(true);
  return text
    .split('\n')
    .filter((line) => kindOf(line.trim()) !== 'refused')
    .join('\n');
}

/**
 * Counts and checks lines while they are read, so that files of any size work.
 * @param checksUrls for parsers; inputs of APIs are objects that only the server knows
 */
export async function* countInputs(
  inputs: Blob,
  { checksUrls, signal }: { checksUrls: boolean; signal: AbortSignal },
): AsyncGenerator<InputCount> {
  const count: InputCount = { lines: 0, refused: 0, examples: [], columns: [], isDone: false };
  if (await isSheet(inputs)) {
    yield { ...count, isDone: true, isSheet: true };
    return;
  }
  const columns = new Set<string>();
  let number = 0;
  let rest = '';
  const kindOf = createLineCheck(checksUrls);
  const take = (raw: string): void => {
    number += 1;
    const line = raw.trim();
    const kind = kindOf(line);
    const names =
      kind === 'header' ? (readHeader(line) ?? []) : count.lines < NAMED_LINES ? namesOfObject(line) : [];
    for (const name of names) if (name !== '' && name !== 'url') columns.add(name);
    if (kind === 'blank' || kind === 'header') return;
    count.lines += 1;
    if (kind === 'good') return;
    count.refused += 1;
    if (count.examples.length < MAX_EXAMPLES) {
      count.examples.push({ line: number, text: line.slice(0, SHOWN_CHARACTERS) });
    }
  };
  const reader = inputs.stream().pipeThrough(new TextDecoderStream()).getReader();
  while (!signal.aborted) {
    const { done, value } = await reader.read();
    const lines = (rest + (value ?? '')).split('\n');
    rest = done ? '' : (lines.pop() ?? '');
    for (const line of lines) take(line);
    yield { ...count, columns: [...columns], isDone: done };
    if (done) return;
  }
}
