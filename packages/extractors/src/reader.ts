/**
 * The number of the reader: of how pages and values are read. Raised once with each release that reads the same page
 * otherwise. All parsers move to it at once; what was learned of pages by an earlier reader is learned anew.
 */
export const READER = 2;

/** The reader that something was read by. Without a number it is the first one, which gave none. */
export function readerOf({ reader = 1 }: { reader?: number | undefined }): number {
  return reader;
}
