/** An item of the queue. The queue alternates between owners. */
export interface Owned {
  /** All items without an owner count as one owner. */
  readonly owner: string | undefined;
}

export type FairQueue<T extends Owned> = ReturnType<typeof createFairQueue<T>>;

/**
 * First in, first out for each owner, alternating between owners: between two items of one owner, every other owner who
 * waits all that time and whose items may be taken gets exactly one.
 */
export function createFairQueue<T extends Owned>() {
  /** Each owner's items, in the order in which the owners are served. */
  const lines = new Map<string | undefined, Set<T>>();
  let size = 0;
  let lastServed: { owner: string | undefined } | undefined;

  const remove = (item: T): boolean => {
    const line = lines.get(item.owner);
    if (line?.delete(item) !== true) return false;
    size -= 1;
    if (line.size === 0) lines.delete(item.owner);
    return true;
  };

  const moveToEnd = (owner: string | undefined): void => {
    const line = lines.get(owner);
    if (line === undefined) return;
    lines.delete(owner);
    lines.set(owner, line);
  };

  return {
    get size(): number {
      return size;
    },
    /** The number of waiting items of one owner. */
    sizeOf: (owner: string | undefined): number => lines.get(owner)?.size ?? 0,
    push(item: T): void {
      const line = lines.get(item.owner);
      if (line === undefined) lines.set(item.owner, new Set([item]));
      else line.add(item);
      size += 1;
    },
    /** Returns items that were taken and not begun. They become the first of their owners again, who keep their new positions. */
    putBack(items: readonly T[]): void {
      for (const item of items.toReversed()) {
        lines.set(item.owner, new Set([item, ...(lines.get(item.owner) ?? [])]));
        size += 1;
      }
    },
    /**
     * The first item of the next owner, which stays in the queue.
     * @param mayTake whether an owner's items may be taken now; the others keep their positions
     */
    next(mayTake: (owner: string | undefined) => boolean = () => true): T | undefined {
      let again: T | undefined;
      for (const [owner, line] of lines) {
        if (!mayTake(owner)) continue;
        const [first] = line;
        // An owner who waited alone was served last and is still at the head, so the others go first.
        if (lastServed === undefined || owner !== lastServed.owner) return first;
        again = first;
      }
      return again;
    },
    /** Takes an item that `next` gave, and moves its owner to the end. */
    take(item: T): void {
      remove(item);
      if (lastServed !== undefined) moveToEnd(lastServed.owner);
      moveToEnd(item.owner);
      lastServed = { owner: item.owner };
    },
    /** @returns whether the item was waiting */
    remove,
    /** Removes and returns all items. */
    drain(): T[] {
      const all = [...lines.values()].flatMap((line) => [...line]);
      lines.clear();
      size = 0;
      return all;
    },
  };
}
