import { AppError } from '@gleaner/contracts';

/** A line longer than this is no input. */
const MAX_LINE_LENGTH = 256 * 1024;

/**
 * Lines of UTF-8 text as they arrive, many at a time; empty ones stay, so that they can be counted.
 * @throws AppError invalid_request for a line without end
 */
export const readLines = async function* (
  chunks: AsyncIterable<Uint8Array>,
  field: string,
): AsyncGenerator<string[], void, undefined> {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_LENGTH) {
      throw new AppError('invalid_request', {
        field,
        detail: `a line is longer than ${MAX_LINE_LENGTH} characters`,
      });
    }
    if (lines.length > 0) yield lines;
  }
  rest += decoder.decode();
  if (rest !== '') yield [rest];
};
