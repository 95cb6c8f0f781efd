/** The parts of an element that the functions here read. */
type Node = Pick<Element, 'localName' | 'id' | 'textContent'> & { classList: Iterable<string> };

type Way = 'parentElement' | 'firstElementChild' | 'nextElementSibling' | 'previousElementSibling';

const WAYS: ReadonlyMap<string, Way> = new Map([
  ['ArrowUp', 'parentElement'],
  ['ArrowDown', 'firstElementChild'],
  ['ArrowRight', 'nextElementSibling'],
  ['ArrowLeft', 'previousElementSibling'],
]);

const MAX_TEXT = 80;

/** `a#buy.button · Buy now`: an element's name and its first text. */
export function describeElement({ localName, id, classList, textContent }: Node): string {
  const classes = [...classList].slice(0, 2).map((name) => `.${name}`);
  const text = (textContent ?? '').trim().replaceAll(/\s+/g, ' ').slice(0, MAX_TEXT);
  return `${localName}${id === '' ? '' : `#${id}`}${classes.join('')} · ${text}`;
}

/**
 * The element that an arrow key moves to.
 * @returns null when there is none in that direction, undefined for other keys
 */
export function neighbourOf<T extends Record<Way, T | null>>(
  from: T,
  key: string,
  body: T,
): T | null | undefined {
  const way = WAYS.get(key);
  if (from === body && way === 'parentElement') return body;
  return way && from[way];
}
