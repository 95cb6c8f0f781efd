import { AppError } from '@gleaner/contracts';
import { decodeText } from './decode-text.ts';

/** A line longer than this is no input. */
const MAX_LINE_LENGTH = 256 * 1024;

/**
 * Lines of text as they arrive, many at a time; empty ones stay, so that they can be counted.
 * @throws AppError invalid_request for a line without end, and for bytes that are no text
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  field: string,
): AsyncGenerator<string[], void, undefined> {
  let rest = '';
  for await (const text of decodeText(chunks, field)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_LENGTH) {
      throw new AppError('invalid_request', {
        field,
        detail: `a line is longer than ${MAX_LINE_LENGTH} characters`,
      });
    }
    if (lines.length > 0) yield lines;
  }
  if (rest !== '') yield [rest];
}
