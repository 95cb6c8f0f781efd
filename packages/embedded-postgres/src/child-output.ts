import { StringDecoder } from 'node:string_decoder';
import type { Readable } from 'node:stream';

/** How much of a child's output is taken. */
export interface OutputLimits {
  /** Most bytes of a line; the rest of it is cut. */
  lineBytes: number;
  /** What is passed on within a second. The line that exceeds `bytesPerSecond` is the last one. */
  linesPerSecond: number;
  bytesPerSecond: number;
}

/** Enough for the processes of the service at their busiest. */
const LIMITS: OutputLimits = { lineBytes: 65_536, linesPerSecond: 5_000, bytesPerSecond: 1_048_576 };

const NEWLINE = 10;

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
  const { lineBytes, linesPerSecond, bytesPerSecond } = { ...LIMITS, ...limits };
  const decoder = new StringDecoder('utf8');
  let line = '';
  let bytes = 0;
  let passed = { lines: 0, bytes: 0 };
  let dropped = { lines: 0, bytes: 0 };
  let second: NodeJS.Timeout | undefined;

  const endSecond = (): void => {
    clearTimeout(second);
    second = undefined;
    if (dropped.lines > 0)
      onLine(`${dropped.lines} lines (${dropped.bytes} bytes) were too many and are not logged`);
    passed = { lines: 0, bytes: 0 };
    dropped = { lines: 0, bytes: 0 };
  };
  const add = (part: Buffer): void => {
    if (bytes < lineBytes) line += decoder.write(part.subarray(0, lineBytes - bytes));
    bytes += part.length;
  };
  const endLine = (): void => {
    line += decoder.end();
    const text = bytes > lineBytes ? `${line} … (${bytes - lineBytes} more bytes)` : line.replace(/\r$/, '');
    second ??= setTimeout(endSecond, 1_000).unref();
    const isTooMuch = passed.lines >= linesPerSecond || passed.bytes >= bytesPerSecond;
    const count = isTooMuch ? dropped : passed;
    count.lines += 1;
    count.bytes += isTooMuch ? bytes : Math.min(bytes, lineBytes);
    line = '';
    bytes = 0;
    if (!isTooMuch) onLine(text);
  };
  stream.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, end));
      endLine();
      start = end + 1;
    }
    add(chunk.subarray(start));
  });
  stream.on('close', () => {
    if (bytes > 0) endLine();
    endSecond();
  });
  // The end of the child is reported elsewhere.
  stream.on('error', () => undefined);
}
