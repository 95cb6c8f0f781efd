import { AppError } from '@gleaner/contracts';
import { decodeText } from './decode-text.ts';

/** Longer lines are rejected, because no input is that long. */
const MAX_LINE_LENGTH = 256 * 1024;

/**
 * Yields lines of text in blocks, as they arrive. Includes empty lines, so that the caller can number lines.
 * @throws AppError invalid_request for a line that is too long, or bytes that are not text
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
