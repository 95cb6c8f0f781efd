/** An item of the queue. The queue alternates between owners. */
export interface Owned {
  /** All items without an owner count as one owner. */
  readonly owner: string | undefined;
}

interface RotationRules {
  /** The owner after this one goes first, unless no other owner waits. */
  isPassedOver?: ((owner: string | undefined) => boolean) | undefined;
  /** No item of this owner is taken now, even when no other owner waits. */
  isBarred?: ((owner: string | undefined) => boolean) | undefined;
}

export interface FairQueue<T extends Owned> {
  readonly size: number;
  /** The number of waiting items of one owner. */
  sizeOf: (owner: string | undefined) => number;
  push: (item: T) => void;
  /** Returns an item that was taken and not begun. It becomes its owner's first again; the owner keeps its new position. */
  putBack: (item: T) => void;
  /** The item that `take` would return. */
  peek: (rules?: RotationRules) => T | undefined;
  /**
   * Takes the first item of the next owner and moves that owner to the end. An owner who is passed over or barred keeps
   * its position, and the item comes from an owner after it.
   */
  take: (rules?: RotationRules) => T | undefined;
  /** @returns whether the item was waiting */
  remove: (item: T) => boolean;
  /** Removes and returns all items. */
  drain: () => T[];
}

interface Link<V> {
  readonly value: V;
  previous: Link<V>;
  next: Link<V>;
}

/** A circular list. The head is the first link, and the link before it is the last. */
interface Ring<V> {
  head: Link<V> | undefined;
  size: number;
}

interface OwnerItems<T> extends Ring<T> {
  readonly owner: string | undefined;
}

function append<V>(ring: Ring<V>, value: V): Link<V> {
  const { head } = ring;
  const link = { value } as Link<V>;
  link.previous = head?.previous ?? link;
  link.next = head ?? link;
  link.previous.next = link;
  link.next.previous = link;
  ring.head ??= link;
  ring.size += 1;
  return link;
}

function prepend<V>(ring: Ring<V>, value: V): Link<V> {
  const link = append(ring, value);
  ring.head = link;
  return link;
}

function unlink<V>(ring: Ring<V>, link: Link<V>): void {
  link.previous.next = link.next;
  link.next.previous = link.previous;
  if (ring.head === link) ring.head = link.next;
  ring.size -= 1;
  if (ring.size === 0) ring.head = undefined;
}

/**
 * First in, first out for each owner, alternating between owners: between two items of one owner, every other owner who
 * waits all that time gets exactly one, unless owners are passed over. All operations except `drain` take constant time.
 */
export function createFairQueue<T extends Owned>(): FairQueue<T> {
  const rotation: Ring<OwnerItems<T>> = { head: undefined, size: 0 };
  const positions = new Map<string | undefined, Link<OwnerItems<T>>>();
  const links = new Map<T, Link<T>>();
  let hasLast = false;
  let last: string | undefined;

  const itemsOf = (owner: string | undefined): OwnerItems<T> => {
    let position = positions.get(owner);
    if (position === undefined) {
      position = append(rotation, { owner, head: undefined, size: 0 });
      positions.set(owner, position);
    }
    return position.value;
  };

  /** An owner who waited alone was served last and is still at the head, so the others go first. */
  const firstOwner = (): Link<OwnerItems<T>> | undefined => {
    const { head } = rotation;
    return rotation.size > 1 && hasLast && head?.value.owner === last ? head?.next : head;
  };

  /** The first owner from a position on who is not barred. Few are barred, because each of them holds threads. */
  const firstAllowed = (
    from: Link<OwnerItems<T>> | undefined,
    isBarred: RotationRules['isBarred'],
  ): Link<OwnerItems<T>> | undefined => {
    let position = from;
    for (let step = 0; position !== undefined && step < rotation.size; step += 1) {
      if (isBarred?.(position.value.owner) !== true) return position;
      position = position.next;
    }
    return undefined;
  };

  const next = ({ isPassedOver, isBarred }: RotationRules = {}): Link<OwnerItems<T>> | undefined => {
    const first = firstAllowed(firstOwner(), isBarred);
    if (first === undefined || rotation.size === 1 || isPassedOver?.(first.value.owner) !== true)
      return first;
    return firstAllowed(first.next, isBarred) ?? first;
  };

  const leave = (position: Link<OwnerItems<T>>, link: Link<T>): void => {
    const items = position.value;
    unlink(items, link);
    links.delete(link.value);
    if (items.size > 0) return;
    unlink(rotation, position);
    positions.delete(items.owner);
  };

  return {
    get size() {
      return links.size;
    },
    sizeOf: (owner) => positions.get(owner)?.value.size ?? 0,
    push(item) {
      links.set(item, append(itemsOf(item.owner), item));
    },
    putBack(item) {
      links.set(item, prepend(itemsOf(item.owner), item));
    },
    peek: (rules) => next(rules)?.value.head?.value,
    take(rules) {
      rotation.head = firstOwner();
      const position = next(rules);
      const first = position?.value.head;
      if (position === undefined || first === undefined) return undefined;
      leave(position, first);
      hasLast = true;
      last = first.value.owner;
      const items = position.value;
      if (items.size === 0) return first.value;
      if (position === rotation.head) {
        rotation.head = position.next;
      } else {
        unlink(rotation, position);
        positions.set(items.owner, append(rotation, items));
      }
      return first.value;
    },
    remove(item) {
      const link = links.get(item);
      const position = positions.get(item.owner);
      if (link === undefined || position === undefined) return false;
      leave(position, link);
      return true;
    },
    drain() {
      const all = [...links.keys()];
      links.clear();
      positions.clear();
      rotation.head = undefined;
      rotation.size = 0;
      return all;
    },
  };
}
