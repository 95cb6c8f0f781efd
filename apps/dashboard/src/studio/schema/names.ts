/** Class names and ids that a build tool made up: they change with the next release of the page. */
export function isGenerated(name: string): boolean {
  if (/\d{4,}/.test(name) || /^[:_]?r\w*:$/.test(name)) return true;
  if (/^(?:css|sc|jsx|svelte|emotion|chakra|mui|makeStyles|styles?)[-_]?\w*\d\w*$/i.test(name)) return true;
  const tail = /(?:__|--|[-_])([A-Za-z0-9]{5,8})$/.exec(name)?.[1] ?? name;
  // Letters in both cases and digits mixed without a pattern, like `x7Gz2q`.
  const kinds = [/[a-z]/, /[A-Z]/, /\d/].filter((kind) => kind.test(tail.slice(1))).length;
  return tail.length >= 5 && kinds >= 2 && /\d/.test(tail) && !/^[a-z]+\d{1,2}$/.test(tail);
}

/** Classes that describe looks and not content. */
const LOOKS =
  /^(?:-?[mp][trblxyse]?-|(?:text|bg|border|font|leading|tracking|flex|grid|gap|space|rounded|shadow|w|h|min|max|col|row|order|items|justify|self|object|overflow|z|top|left|right|bottom|inset|opacity|cursor|hover|focus|sm|md|lg|xl|2xl|dark)[-:]|(?:flex|grid|block|inline|inline-block|hidden|relative|absolute|fixed|sticky|static|container|row|col|clearfix|active|selected|open|first|last|odd|even|left|right|center|visible|show|hide|truncate|uppercase|italic|underline|bold)$)/;

export function isAboutLooks(name: string): boolean {
  return LOOKS.test(name);
}

/** Values of `rel` that describe a link's meaning; others are for search engines and browsers. */
export const MEANT_RELS = new Set(['author', 'category', 'license', 'next', 'prev', 'tag']);

const NAME_LENGTH = 40;

/** A field's name from any text: `Price (EUR)` → `price_eur`; undefined when no character is left. */
export function toFieldName(text: string): string | undefined {
  const name = text
    .normalize('NFKD')
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, NAME_LENGTH);
  if (name === '') return undefined;
  return /^\d/.test(name) ? `n_${name}` : name;
}

const BY_TAG: Readonly<Record<string, string>> = {
  h1: 'title',
  h2: 'heading',
  h3: 'heading',
  img: 'image',
  a: 'link',
  time: 'date',
  p: 'text',
  table: 'table',
};

const TOO_GENERAL =
  /^(?:item|items|content|wrapper|inner|outer|container|main|body|text|value|data|row|col|cell|box|block)$/;

const PLAIN = new Set(['a', 'span', 'b', 'strong', 'em', 'i', 'div', 'p']);

/** A name for the field of an element. */
export function nameOf(element: Element): string {
  const own = saidNameOf(element);
  // `headline` is better than `title`, `card_box_title` is not.
  const isWordy = element.localName === 'h1' && own?.includes('_') === true;
  if (own !== undefined && !isWordy) return own;
  const { parentElement: parent } = element;
  // A link within a heading is the heading's only content: the parent has the name.
  const isAlone = parent !== null && parent.textContent?.trim() === element.textContent?.trim();
  const outer = isAlone && PLAIN.has(element.localName) ? saidNameOf(parent) : undefined;
  return outer ?? headerOf(element) ?? BY_TAG[element.localName] ?? toFieldName(element.localName) ?? 'field';
}

/** The name that a page gives to an element by its attributes. */
function saidNameOf(element: Element): string | undefined {
  const rel = element.getAttribute('rel') ?? '';
  // The attribute: a form's property may be a control that is called so.
  const id = element.getAttribute('id') ?? '';
  return ['itemprop', 'data-testid', 'data-test', 'data-qa', 'data-field', 'name']
    .map((attribute) => element.getAttribute(attribute) ?? '')
    .concat(MEANT_RELS.has(rel) ? rel : [])
    .concat([...element.classList].filter((name) => !isGenerated(name) && !isAboutLooks(name)))
    .concat(isGenerated(id) ? [] : [id])
    .map(toFieldName)
    .find((name) => name !== undefined && name.length <= 30 && !TOO_GENERAL.test(name));
}

/** The label that a page writes before a value: the header of a row with one value, or the term of a description. */
export function labelOf(element: Element): Element | undefined {
  const cell = element.closest('td, dd');
  if (cell === null) return undefined;
  const siblings = [...(cell.parentElement?.children ?? [])];
  if (cell.localName === 'dd')
    return siblings.slice(0, siblings.indexOf(cell)).findLast(({ localName }) => localName === 'dt');
  const [header] = siblings;
  return header?.localName === 'th' && siblings.length === 2 ? header : undefined;
}

/** The label of a value, or the header of a table cell's column. */
function headerOf(element: Element): string | undefined {
  const cell = element.closest('td');
  const [top] = cell?.closest('table')?.rows ?? [];
  const above = cell ? top?.cells.item(cell.cellIndex) : undefined;
  const header = labelOf(element) ?? (above?.localName === 'th' ? above : undefined);
  return header && toFieldName(header.textContent ?? '');
}

/** The name itself, or with a number when it is taken. */
export function freeName(name: string, taken: Iterable<string>): string {
  const names = new Set(taken);
  if (!names.has(name)) return name;
  for (let number = 2; ; number += 1) if (!names.has(`${name}_${number}`)) return `${name}_${number}`;
}
