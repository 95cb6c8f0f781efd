import { StringDecoder } from 'node:string_decoder';
import type { Readable } from 'node:stream';

/** How much of a child's output is taken. */
export interface OutputLimits {
  /** Characters of a line; the rest of it is cut. */
  lineLength: number;
  /** What is passed on within a second. The line that exceeds `charsPerSecond` is the last one. */
  linesPerSecond: number;
  charsPerSecond: number;
}

/** Enough for the processes of the service at their busiest. */
const LIMITS: OutputLimits = { lineLength: 65_536, linesPerSecond: 5_000, charsPerSecond: 1_048_576 };

/**
 * Reads the lines of a child process, whatever it writes: a line without an end takes no more memory than a long one, and
 * what exceeds the limits is read and dropped, so that the child never waits. Node's `readline` throws at 512 MB.
 * @param onLine gets each line without its end, and once a second a line that says how much was dropped
 */
export function readLines(
  stream: Readable,
  onLine: (line: string) => void,
  limits: Partial<OutputLimits> = {},
): void {
  const { lineLength, linesPerSecond, charsPerSecond } = { ...LIMITS, ...limits };
  const decoder = new StringDecoder('utf8');
  let line = '';
  let cut = 0;
  let passed = { lines: 0, chars: 0 };
  let dropped = { lines: 0, chars: 0 };
  let second: NodeJS.Timeout | undefined;

  const endSecond = (): void => {
    clearTimeout(second);
    second = undefined;
    if (dropped.lines > 0)
      onLine(`${dropped.lines} lines (${dropped.chars} characters) were too many and are not logged`);
    passed = { lines: 0, chars: 0 };
    dropped = { lines: 0, chars: 0 };
  };
  const endLine = (): void => {
    const text = cut > 0 ? `${line} … (${cut} more characters)` : line.replace(/\r$/, '');
    const length = line.length + cut;
    line = '';
    cut = 0;
    second ??= setTimeout(endSecond, 1_000).unref();
    if (passed.lines >= linesPerSecond || passed.chars >= charsPerSecond) {
      dropped = { lines: dropped.lines + 1, chars: dropped.chars + length };
      return;
    }
    passed = { lines: passed.lines + 1, chars: passed.chars + text.length };
    onLine(text);
  };
  const add = (text: string, start: number, end: number): void => {
    const taken = Math.min(end, start + lineLength - line.length);
    line += text.slice(start, taken);
    cut += end - taken;
  };
  stream.on('data', (chunk: Buffer) => {
    const text = decoder.write(chunk);
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      add(text, start, end);
      endLine();
      start = end + 1;
    }
    add(text, start, text.length);
  });
  stream.on('close', () => {
    if (line !== '') endLine();
    endSecond();
  });
  // The end of the child is reported elsewhere.
  stream.on('error', () => undefined);
}
