import { hash } from 'node:crypto';

const FIRST_CAPACITY = 1 << 16;
const MAX_LOAD = 0.6;

/**
 * The inputs seen so far, as the first 64 bits of their SHA-256: 8 bytes an input. With a million inputs, the
 * probability that two different ones count as equal is 3 in 100 million.
 */
export interface InputSet {
  /** True when the input is new. */
  add(input: string): boolean;
}

export function createInputSet(): InputSet {
  let capacity = FIRST_CAPACITY;
  let table = new BigUint64Array(capacity);
  let size = 0;

  const insert = (into: BigUint64Array, key: bigint): boolean => {
    const mask = into.length - 1;
    let slot = Number(key & 0x7fffffffn) & mask;
    for (;;) {
      const known = into[slot];
      if (known === key) return false;
      if (known === 0n) {
        into[slot] = key;
        return true;
      }
      slot = (slot + 1) & mask;
    }
  };

  const grow = (): void => {
    capacity *= 2;
    const larger = new BigUint64Array(capacity);
    for (const key of table) if (key !== 0n) insert(larger, key);
    table = larger;
  };

  return {
    add: (input) => {
      const digest = hash('sha256', input, 'buffer');
      // Zero marks an empty slot of the table.
      const key = digest.readBigUInt64LE(0) || 1n;
      if (!insert(table, key)) return false;
      size += 1;
      if (size > capacity * MAX_LOAD) grow();
      return true;
    },
  };
}
