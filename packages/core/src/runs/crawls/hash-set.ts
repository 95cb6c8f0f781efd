/** A set of 64-bit hashes, at most 16 bytes each. */
export interface HashSet {
  add(high: number, low: number): void;
  has(high: number, low: number): boolean;
  size(): number;
}

const FIRST_PLACES = 1_024;
/** Beyond this share of taken places the table doubles. */
const MOST_TAKEN = 0.5;

/** Open addressing: a hash is at the first free place from its own on. Two zeros mark a free place. */
export function createHashSet(): HashSet {
  let places = FIRST_PLACES;
  let table = new Uint32Array(places * 2);
  let size = 0;
  let hasZero = false;

  /** The place of the hash, or the free one where it belongs. */
  const find = (high: number, low: number): number => {
    let place = low & (places - 1);
    for (;;) {
      const [a, b] = [table[place * 2], table[place * 2 + 1]];
      if ((a === high && b === low) || (a === 0 && b === 0)) return place;
      place = (place + 1) & (places - 1);
    }
  };
  const put = (high: number, low: number): boolean => {
    const at = find(high, low) * 2;
    if (table[at] === high && table[at + 1] === low) return false;
    table[at] = high;
    table[at + 1] = low;
    return true;
  };
  const grow = (): void => {
    const old = table;
    places *= 2;
    table = new Uint32Array(places * 2);
    for (let at = 0; at < old.length; at += 2) {
      const [high = 0, low = 0] = [old[at], old[at + 1]];
      if (high !== 0 || low !== 0) put(high, low);
    }
  };
  return {
    add: (high, low) => {
      if (high === 0 && low === 0) {
        if (!hasZero) size += 1;
        hasZero = true;
        return;
      }
      if (size >= places * MOST_TAKEN) grow();
      if (put(high, low)) size += 1;
    },
    has: (high, low) => {
      if (high === 0 && low === 0) return hasZero;
      const at = find(high, low) * 2;
      return table[at] === high && table[at + 1] === low;
    },
    size: () => size,
  };
}
