import { type TreeElement, parentElement } from '@gleaner/html';
import { type Context, TAGS, valueAt } from './block-context.ts';
import { NAME_GROUPS } from './element-names.ts';
import type { PageSums } from './page-sums.ts';

/** A block has fewer. */
const MOST_FEATURES = 192;

/** What is known of a block, in the order that the decision trees expect. One object serves all blocks of a page. */
class Features {
  readonly values = new Float64Array(MOST_FEATURES);
  #count = 0;

  clear(): void {
    this.#count = 0;
  }

  copy(): number[] {
    return [...this.values.subarray(0, this.#count)];
  }

  add(value: number): void {
    this.values[this.#count] = value;
    this.#count += 1;
  }

  addAll(values: readonly number[]): void {
    for (const value of values) this.add(value);
  }

  /** The lowest bits of a number, a feature each. */
  addBits(bits: number, count: number): void {
    for (let index = 0; index < count; index += 1) this.add((bits >> index) & 1);
  }
}

const BLOCK_TAGS =
  'p li td th dt dd div span h1 h2 h3 h4 h5 h6 pre blockquote figcaption section a label caption button'.split(
    ' ',
  );

/** Words with which sites address readers instead of telling them something, in the most common languages. */
const ADDRESS =
  /\b(?:subscribe|sign(?:ing)? up|sign in|log ?in|log ?out|newsletter|inbox|e-?mails?|privacy|cookies?|terms|rights reserved|copyright|advertis|sponsored|share|follow us|read more|learn more|shop now|buy now|add to (?:cart|bag|basket)|free shipping|click here|download|get started|contact us|back to top|skip to|loading|related|recommended|you may also|abonnieren|anmelden|registrieren|datenschutz|impressum|teilen|weiterlesen|mehr zum thema|anzeige|werbung|s'abonner|s'inscrire|connexion|partager|confidentialité|mentions légales|lire aussi|en savoir plus|suscr[ií]b|inicia sesi|compartir|privacidad|leer más|iscriviti|condividi|accedi|leggi anche|aanmelden|inschrijven|delen|lees ook|zaloguj|udostępnij|polityka prywatności|подпис|войти|поделиться)/i;

/** Such words stand at the start of a text; those within a paragraph are about something. */
const ADDRESS_WITHIN = 120;

/** Who speaks and is spoken to in reviews, offers and posts. */
const FIRST = /\b(?:i|my|me|we|our|us|ich|wir|je|nous)\b/gi;
const SECOND = /\b(?:you|your|yours|sie|ihre?|vous|votre)\b/gi;
/** Words of consent, conditions and footnotes. */
const LEGAL =
  /\b(?:cookies?|consent|privacy|personal (?:data|information)|terms (?:of|and)|conditions|liab|warrant|trademarks?|rights reserved|subject to|eligib|apply|applicable|law|policy|third[- ]party|unsubscribe|opt[- ]out)/gi;

function log(value: number): number {
  return Math.log2(1 + value);
}

/** How often the text says such words, by its length. */
function addWords(found: Features, text: string, { questions, quotes }: Shape): void {
  const length = text.length + 20;
  for (const words of [FIRST, SECOND, LEGAL]) found.add((text.match(words)?.length ?? 0) / length);
  found.add(questions / length);
  found.add(quotes / length);
}

function flag(value: boolean): number {
  return value ? 1 : 0;
}

/** How a block's text is written: shares of its characters and words. */
function shapeOf({ localName, order }: TreeElement, sums: PageSums) {
  const text = sums.own[order] ?? '';
  let [digits, sentences, commas, capitals, separators, words, questions, quotes] = [0, 0, 0, 0, 0, 1, 0, 0];
  let before = 32;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 48 && code <= 57) digits += 1;
    else if (code === 46 || code === 33 || code === 63 || code === 0x30_02) sentences += 1;
    else if (code === 44 || code === 59 || code === 0x30_01 || code === 0xff_0c) commas += 1;
    else if (
      code === 62 ||
      code === 124 ||
      code === 0xb7 ||
      code === 0xbb ||
      code === 0x20_22 ||
      code === 0x20_3a
    )
      separators += 1;
    if (code === 63 || code === 0xff_1f) questions += 1;
    else if (code === 34 || code === 0x20_1c || code === 0x20_1d) quotes += 1;
    if (code === 32) words += 1;
    else if (before === 32 && code >= 65 && code <= 90) capitals += 1;
    before = code;
  }
  return {
    length: log(text.length),
    links: Math.min(1, valueAt(sums.ownLinks, order) / Math.max(1, text.length)),
    digits: digits / Math.max(1, text.length),
    sentences: sentences / words,
    commas: commas / words,
    capitals: capitals / words,
    separators,
    ends: flag(/[.!?:。！？…”"]$/.test(text)),
    tag: BLOCK_TAGS.indexOf(localName),
    prices: flag(/\p{Sc}/u.test(text)),
    questions,
    quotes,
  };
}

type Shape = ReturnType<typeof shapeOf>;

/** The element and the wider ones around it: how much they hold, of what. */
function addAround(found: Features, { sums, wider }: Context, order: number): void {
  const total = Math.max(1, valueAt(sums.text, sums.top.order));
  let at = order;
  for (let level = 0; level < 4; level += 1) {
    const length = Math.max(1, valueAt(sums.text, at));
    found.add(log(length));
    found.add(length / total);
    found.add(valueAt(sums.links, at) / length);
    found.add(valueAt(sums.prose, at) / length);
    found.add(log(length / Math.max(1, valueAt(sums.blocks, at))));
    found.add(log(valueAt(sums.images, at)));
    found.add(log(valueAt(sums.controls, at)));
    at = valueAt(wider, at) >= 0 ? valueAt(wider, at) : at;
  }
}

/** The row of similar elements that the block stands in. */
function addRow(found: Features, { document, sums, row }: Context, order: number): void {
  const element = document.elements[valueAt(row, order)];
  const around = element === undefined ? null : parentElement(element);
  if (element === undefined || around === null) {
    found.addBits(0, 7);
    return;
  }
  const count = Math.max(1, valueAt(sums.run, element.order));
  const length = Math.max(1, valueAt(sums.text, around.order));
  found.add(log(count));
  found.add(log(length / count));
  found.add(valueAt(sums.links, around.order) / length);
  found.add(length / Math.max(1, valueAt(sums.text, sums.top.order)));
  found.add(valueAt(sums.blocks, around.order) / count);
  found.add(valueAt(sums.images, around.order) / count);
  found.add(valueAt(sums.prose, around.order) / length);
}

/** Where the block stands towards the page's heading and its paragraphs. */
function addPlace(
  found: Features,
  { sums, depth, withHeading, withHub, heading, hub }: Context,
  order: number,
): void {
  const total = Math.max(1, valueAt(sums.text, sums.top.order));
  const [first, second] = [valueAt(withHeading, order), valueAt(withHub, order)];
  const isInside = hub.order <= order && order <= hub.lastOrder;
  found.add(flag(isInside));
  found.add(isInside ? 0 : order < hub.order ? -1 : 1);
  found.add(second < 0 ? 1 : valueAt(sums.text, second) / total);
  found.add(second < 0 ? 0 : valueAt(depth, hub.order) - valueAt(depth, second));
  found.add(first < 0 ? 1 : valueAt(sums.text, first) / total);
  found.add(first < 0 || heading === undefined ? 0 : valueAt(depth, heading.order) - valueAt(depth, first));
  found.add(first < 0 ? 0 : valueAt(depth, order) - valueAt(depth, first));
}

/** What is true of the whole page: it says which type of page this is. */
function pageOf({ document, sums, hub, heading, kind }: Context, shapes: readonly Shape[]): number[] {
  const at = sums.top.order;
  const total = Math.max(1, valueAt(sums.text, at));
  const inHub = Math.max(1, valueAt(sums.text, hub.order));
  const articles = document.elements.filter(
    ({ localName, order }) => localName === 'article' && valueAt(sums.shown, order) === 1,
  );
  const prices = shapes.filter((shape) => shape.prices > 0).length;
  return [
    log(total),
    valueAt(sums.links, at) / total,
    valueAt(sums.prose, at) / total,
    log(total / Math.max(1, shapes.length)),
    kind,
    log(articles.length),
    articles.reduce((most, { order }) => Math.max(most, valueAt(sums.text, order)), 0) / total,
    prices / Math.max(1, shapes.length),
    inHub / total,
    valueAt(sums.links, hub.order) / inHub,
    valueAt(sums.prose, hub.order) / inHub,
    flag(heading !== undefined),
  ];
}

function addBeside(found: Features, shape: Shape | undefined): void {
  found.add(shape?.length ?? -1);
  found.add(shape?.links ?? -1);
  found.add(shape?.tag ?? -1);
  found.add(shape?.ends ?? -1);
}

/** Takes a block of a page with its features. The next block overwrites `features`. */
type VisitBlock = (element: TreeElement, text: string, features: Features) => void;

/** Visits the blocks of a page in its order. */
export function visitBlocks(context: Context, visit: VisitBlock): void {
  const { sums, blocks, heading, repeats, title } = context;
  const shapes = blocks.map((element) => shapeOf(element, sums));
  const total = Math.max(1, valueAt(sums.text, sums.top.order));
  const page = pageOf(context, shapes);
  const textOf = ({ order }: TreeElement): string => sums.own[order] ?? '';
  const beforeHeading = blocks
    .filter(({ order }) => heading !== undefined && order < heading.order)
    .reduce((sum, element) => sum + textOf(element).length, 0);
  const earlier = new Set<string>();
  const found = new Features();
  let [offset, sinceHeading, level] = [0, 0, 0];
  for (const [index, element] of blocks.entries()) {
    const text = textOf(element);
    const shape = shapes[index] ?? shapeOf(element, sums);
    const { order, localName } = element;
    const past = offset - beforeHeading;
    found.clear();
    found.add(shape.length);
    found.add(shape.links);
    found.add(shape.digits);
    found.add(shape.sentences);
    found.add(shape.commas);
    found.add(shape.capitals);
    found.add(shape.separators);
    found.add(shape.ends);
    found.add(shape.tag);
    found.add(shape.prices);
    found.add(Math.min(5, repeats.get(text) ?? 0));
    found.add(flag(earlier.has(text)));
    found.add(flag(ADDRESS.test(text.slice(0, ADDRESS_WITHIN))));
    found.add(flag(text.length > 3 && title.includes(text.toLowerCase())));
    found.add(offset / total);
    found.add(heading === undefined ? 0 : past >= 0 ? log(past) : -log(-past));
    found.add(index / blocks.length);
    found.add(log(sinceHeading));
    found.add(level);
    found.addBits(valueAt(context.tags, order), TAGS.length);
    found.addBits(valueAt(context.names, order), NAME_GROUPS);
    addWords(found, text, shape);
    addAround(found, context, order);
    addRow(found, context, order);
    addPlace(found, context, order);
    addBeside(found, shapes[index - 1]);
    addBeside(found, shapes[index + 1]);
    found.addAll(page);
    visit(element, text, found);
    earlier.add(text);
    offset += text.length;
    const isHeading = /^h[1-6]$/.test(localName);
    sinceHeading = isHeading ? 0 : sinceHeading + text.length;
    if (isHeading) level = Number(localName[1]);
  }
}
