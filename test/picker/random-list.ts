import { createRandom } from '../random.ts';

/** The values of a row by name; null where it lacks one. */
export type ListRow = Readonly<Record<(typeof NAMES)[number], string | null>>;

export interface RandomList {
  html: string;
  rows: readonly ListRow[];
}

/** What a row holds, in this order; `badge`, `old` and `note` are optional. */
export const NAMES = ['badge', 'title', 'old', 'price', 'note'] as const;

const TAGS: Readonly<Record<string, string>> = { badge: 'em', title: 'h3', old: 'del', price: 'b' };

/** Ways in which a template tells its values apart: `text` marked as one of the names. */
const MARKS: readonly ((name: string, text: string) => string)[] = [
  (name, text) => `<span class="${name}">${text}</span>`,
  (name, text) => `<span class="value${name === 'price' ? '' : ` value--${name}`}">${text}</span>`,
  (name, text) => `<span data-kind="${name}">${text}</span>`,
  (name, text) => `<div class="x7Gz${name.length}q${name.charCodeAt(0)}">${text}</div>`,
  (name, text) => `<div class="${name}-box"><span>${text}</span></div>`,
  (name, text) =>
    `<span class="${/old|price/.test(name) ? 'amount' : name}"${name === 'old' ? ' data-old' : ''}>${text}</span>`,
  (name, text) => `<span class="${name} tone ${name === 'price' ? '' : 'text-red'}">${text}</span>`,
  (name, text) => `<${TAGS[name] ?? 'small'}>${text}</${TAGS[name] ?? 'small'}>`,
  (name, text) => (name === 'badge' ? `<span>${text}</span>` : `<span class="c c-${name}">${text}</span>`),
];

/** A page with a list of rows whose optional values come and go, each told apart by a class, an attribute or a tag. */
export function randomList(seed: number): RandomList {
  const random = createRandom(seed);
  const below = (most: number): number => Math.floor(random() * most);
  const mark = MARKS[below(MARKS.length)] ?? ((_, text) => text);
  const tag = ['li', 'div', 'article'][below(3)] ?? 'li';
  const wrap = below(2) === 0;
  const rows = Array.from({ length: 5 + below(8) }, (_, row): ListRow => {
    const has = (name: string): boolean => row < 2 || below(name === 'note' ? 3 : 2) === 0;
    return {
      badge: has('badge') ? `Badge ${row}` : null,
      title: `Title ${row}`,
      old: has('old') ? `${90 + row},50 €` : null,
      price: `${20 + row},99 €`,
      note: has('note') ? `Note ${row}` : null,
    };
  });
  // The first two rows have all values; they may stand anywhere.
  rows.splice(below(rows.length), 0, ...rows.splice(0, 2));
  const html = rows.map((values) => {
    const inner = NAMES.map((name) => (values[name] === null ? '' : mark(name, values[name]))).join('');
    return `<${tag} class="card">${wrap ? `<div class="body">${inner}</div>` : inner}</${tag}>`;
  });
  return {
    html: `<h1>Things</h1><div class="cards">${html.join('\n')}</div><p class="price">1,00 €</p>`,
    rows,
  };
}
