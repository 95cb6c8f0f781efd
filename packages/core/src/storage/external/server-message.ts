import { shortenText } from '@gleaner/contracts/text';
const MAX_CHARACTERS = 500;

/** A shortened error message of Postgres. An account's own server may send megabytes, which every task would store. */
export function serverMessage(error: unknown): string {
  const text = error instanceof Error ? error.message : '';
  return shortenText(text, MAX_CHARACTERS);
}
