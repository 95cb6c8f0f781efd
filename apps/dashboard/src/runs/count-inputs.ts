/** The counts of a list of inputs, as far as it has been read. */
export interface InputCount {
  /** Lines that are not blank. */
  lines: number;
  /** Lines that can't be an input. */
  refused: number;
  /** The first of them. */
  examples: { line: number; text: string }[];
  isDone: boolean;
}

const MAX_EXAMPLES = 20;
const SHOWN_CHARACTERS = 120;

function isUrlLine(line: string): boolean {
  // NDJSON objects and strings, and CSV, are checked by the server.
  if (/^[{"[]/.test(line)) return true;
  const [text = ''] = line.split(/[,\t;]/, 1);
  return /^https?:\/\/\S/i.test(text) && URL.canParse(text.trim());
}

/** A first line of names, as in CSV files. */
function isHeader(line: string): boolean {
  return /^[\w" ,;\t-]+$/.test(line) && /(^|[,;"\t])\s*url\s*($|[,;"\t])/i.test(line);
}

type LineKind = 'blank' | 'header' | 'good' | 'refused';

/** Makes a function that tells the kind of each line of a list. Call it for each line in order. */
function createLineCheck(checksUrls: boolean): (line: string) => LineKind {
  let isFirst = true;
  let hasHeader = false;
  return (line) => {
    if (line === '') return 'blank';
    if (isFirst && isHeader(line)) {
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
  const count: InputCount = { lines: 0, refused: 0, examples: [], isDone: false };
  let number = 0;
  let rest = '';
  const kindOf = createLineCheck(checksUrls);
  const take = (raw: string): void => {
    number += 1;
    const line = raw.trim();
    const kind = kindOf(line);
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
    yield { ...count, isDone: done };
    if (done) return;
  }
}
