/** One that waits: whose it is decides when it is its turn. */
export interface Owned {
  /** All without an owner share one turn. */
  readonly owner: string | undefined;
}

interface TurnRules {
  /** The next owner goes first, unless nobody else waits. */
  isPassedOver?: ((owner: string | undefined) => boolean) | undefined;
  /** The owner gets no turn now, also when nobody else waits. */
  isBarred?: ((owner: string | undefined) => boolean) | undefined;
}

export interface FairQueue<T extends Owned> {
  readonly size: number;
  /** How many of one owner wait. */
  sizeOf: (owner: string | undefined) => number;
  push: (item: T) => void;
  /** Gives back what was taken and not begun: it is its owner's first again. The turn that it had is spent. */
  putBack: (item: T) => void;
  /** The one that `take` would give. */
  peek: (rules?: TurnRules) => T | undefined;
  /** The first of the owner whose turn it is, who is last in line then. An owner who is left out keeps the turn. */
  take: (rules?: TurnRules) => T | undefined;
  /** @returns whether it was waiting */
  remove: (item: T) => boolean;
  /** Takes all out. */
  drain: () => T[];
}

interface Link<V> {
  readonly value: V;
  previous: Link<V>;
  next: Link<V>;
}

/** A circle of links: the first link is the head, and the one before it the last. */
interface Ring<V> {
  head: Link<V> | undefined;
  size: number;
}

interface Line<T> extends Ring<T> {
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
 * First in, first out for each owner; owners take turns. Between two turns of an owner, every other owner who waits
 * all that time has exactly one, if nobody is passed over. Each operation but `drain` takes the same time however much waits.
 */
export function createFairQueue<T extends Owned>(): FairQueue<T> {
  const turns: Ring<Line<T>> = { head: undefined, size: 0 };
  const places = new Map<string | undefined, Link<Line<T>>>();
  const links = new Map<T, Link<T>>();
  let hasLast = false;
  let last: string | undefined;

  const lineOf = (owner: string | undefined): Line<T> => {
    let place = places.get(owner);
    if (place === undefined) {
      place = append(turns, { owner, head: undefined, size: 0 });
      places.set(owner, place);
    }
    return place.value;
  };

  /** Who was alone had the last turn and is still at the head: the others go first. */
  const firstTurn = (): Link<Line<T>> | undefined => {
    const { head } = turns;
    return turns.size > 1 && hasLast && head?.value.owner === last ? head?.next : head;
  };

  /** The first owner from a place on who is not barred. Few are: each of them holds threads. */
  const firstAllowed = (
    from: Link<Line<T>> | undefined,
    isBarred: TurnRules['isBarred'],
  ): Link<Line<T>> | undefined => {
    let place = from;
    for (let step = 0; place !== undefined && step < turns.size; step += 1) {
      if (isBarred?.(place.value.owner) !== true) return place;
      place = place.next;
    }
    return undefined;
  };

  const next = ({ isPassedOver, isBarred }: TurnRules = {}): Link<Line<T>> | undefined => {
    const first = firstAllowed(firstTurn(), isBarred);
    if (first === undefined || turns.size === 1 || isPassedOver?.(first.value.owner) !== true) return first;
    return firstAllowed(first.next, isBarred) ?? first;
  };

  const leave = (place: Link<Line<T>>, link: Link<T>): void => {
    const line = place.value;
    unlink(line, link);
    links.delete(link.value);
    if (line.size > 0) return;
    unlink(turns, place);
    places.delete(line.owner);
  };

  return {
    get size() {
      return links.size;
    },
    sizeOf: (owner) => places.get(owner)?.value.size ?? 0,
    push(item) {
      links.set(item, append(lineOf(item.owner), item));
    },
    putBack(item) {
      links.set(item, prepend(lineOf(item.owner), item));
    },
    peek: (rules) => next(rules)?.value.head?.value,
    take(rules) {
      turns.head = firstTurn();
      const place = next(rules);
      const first = place?.value.head;
      if (place === undefined || first === undefined) return undefined;
      leave(place, first);
      hasLast = true;
      last = first.value.owner;
      const line = place.value;
      if (line.size === 0) return first.value;
      if (place === turns.head) {
        turns.head = place.next;
      } else {
        unlink(turns, place);
        places.set(line.owner, append(turns, line));
      }
      return first.value;
    },
    remove(item) {
      const link = links.get(item);
      const place = places.get(item.owner);
      if (link === undefined || place === undefined) return false;
      leave(place, link);
      return true;
    },
    drain() {
      const all = [...links.keys()];
      links.clear();
      places.clear();
      turns.head = undefined;
      turns.size = 0;
      return all;
    },
  };
}
