import { ID_PREFIXES, type IdKind } from '@gleaner/contracts';
import { monotonicFactory } from 'ulid';

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

/** `<prefix>_<26 lower-case ULID characters>`. Ids of one process are ascending. */
export function createId(kind: IdKind): string {
  return `${ID_PREFIXES[kind]}_${nextUlid().toLowerCase()}`;
}
