import { ID_PREFIXES, type IdKind } from '@gleaner/contracts';
import { encodeTime, monotonicFactory } from 'ulid';

/** Random numbers from 0 to below 1. `ulid` alone asks the operating system for each of an id's 16 characters. */
function createRandom(): () => number {
  const numbers = new Uint32Array(1_024);
  let at = numbers.length;
  return () => {
    if (at === numbers.length) {
      crypto.getRandomValues(numbers);
      at = 0;
    }
    const number = numbers[at] ?? 0;
    at += 1;
    return number / 2 ** 32;
  };
}

const nextUlid = monotonicFactory(createRandom());

const TIME_DIGITS = 10;

/** What no identifier of this kind that was made at or after a time is below. @param at ms */
export function firstIdAt(kind: IdKind, at: number): string {
  return `${ID_PREFIXES[kind]}_${encodeTime(at, TIME_DIGITS).toLowerCase()}`;
}

/** `<prefix>_<26 lower-case ULID characters>`. Ids of one process are ascending. */
export function createId(kind: IdKind): string {
  return `${ID_PREFIXES[kind]}_${nextUlid().toLowerCase()}`;
}
