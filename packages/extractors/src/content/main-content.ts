import {
  type PageDocument,
  type TreeElement,
  attributeOf,
  isElement,
  isText,
  isUnseen,
  linesAround,
  parentElement,
  readPageText,
} from '@gleaner/html';

/** The main content of a page, without navigation and other surroundings. */
export interface MainContent {
  /** In document order; none contains another. */
  elements: TreeElement[];
  /** Elements inside them that are left out. */
  without: ReadonlySet<TreeElement>;
}

/** Class names and ids that sites give to surroundings, and to the content itself. */
const SURROUNDING =
  /(?:^|[\s_-])(?:ads?|advert\w*|banner|breadcrumbs?|header|modal|newsletter|outbrain|pager|pagination|popup|promo\w*|share|sharing|sidebar|social\w*|sponsor\w*|subscri\w*|taboola|toolbar|widget|toc)(?=$|[\s_-])/i;
/** Names that almost always mark surroundings. */
const SURELY_SURROUNDING =
  /(?:^|[\s_-])(?:comments?|cookies?|disqus|footer|menu|nav|navbar|navigation|recommend\w*|related\w*)(?=$|[\s_-])/i;
/** A part with such a name still counts as content when it holds more than this share of the page's text. */
const MOST_SURROUNDING = 0.2;
const MOST_SURELY_SURROUNDING = 0.6;
const CONTENT = /(?:^|[\s_-])(?:article\w*|body|content\w*|entry|main\w*|post|story|text)(?=$|[\s_-])/i;

const NOISE_TAGS = new Set('nav aside footer form dialog button fieldset'.split(' '));
const NOISE_ROLES = new Set(
  'navigation complementary banner contentinfo search menu menubar dialog alert alertdialog'.split(' '),
);

/** A text this long counts as a paragraph. */
const PARAGRAPH_LENGTH = 25;
/** This many ancestors of a paragraph receive a share of its score; more distant ones receive less. */
const SCORED_ANCESTORS = 5;
/** A part with more than this share of its text in links is a list of links. */
const LINK_SHARE = 0.5;

/** Sums per element, by its order. */
interface Sums {
  readonly text: Float64Array;
  readonly links: Float64Array;
  readonly commas: Float64Array;
  /** Text directly in the block and in its inline elements. */
  readonly own: Float64Array;
  readonly ownCommas: Float64Array;
  readonly noise: Set<TreeElement>;
}

function namesOf(element: TreeElement): string {
  return `${attributeOf(element, 'class') ?? ''} ${attributeOf(element, 'id') ?? ''}`;
}

/** Whether the tag or role marks the element as surroundings. */
function isSurely(element: TreeElement): boolean {
  const { localName } = element;
  if (NOISE_TAGS.has(localName) || NOISE_ROLES.has(attributeOf(element, 'role') ?? '')) return true;
  return localName === 'header' && parentElement(element)?.localName === 'body';
}

/** The greatest share of the page's text that an element with these names may hold as surroundings; 0 for other names. */
function mostShare(element: TreeElement): number {
  const { localName } = element;
  if (localName === 'article' || localName === 'main' || localName === 'pre' || localName === 'table')
    return 0;
  // Inline elements belong to their line, regardless of their names.
  if (linesAround(element) === 0) return 0;
  const names = namesOf(element);
  if (names.length < 2 || CONTENT.test(names)) return 0;
  if (SURELY_SURROUNDING.test(names)) return MOST_SURELY_SURROUNDING;
  return SURROUNDING.test(names) ? MOST_SURROUNDING : 0;
}

function addLength(sums: Sums, at: number, text: string, inLink: boolean, block: number): void {
  const length = text.trim().length;
  if (length === 0) return;
  const commas = text.match(/[,،、，]/g)?.length ?? 0;
  sums.text[at] = (sums.text[at] ?? 0) + length;
  sums.commas[at] = (sums.commas[at] ?? 0) + commas;
  if (inLink) {
    sums.links[at] = (sums.links[at] ?? 0) + length;
  } else {
    sums.own[block] = (sums.own[block] ?? 0) + length;
    sums.ownCommas[block] = (sums.ownCommas[block] ?? 0) + commas;
  }
}

function measure(document: PageDocument): Sums {
  const count = document.elements.length;
  const sums: Sums = {
    text: new Float64Array(count),
    links: new Float64Array(count),
    commas: new Float64Array(count),
    own: new Float64Array(count),
    ownCommas: new Float64Array(count),
    noise: new Set(),
  };
  const whole = readPageText(document).length;
  const visit = (element: TreeElement, block: number, inLink: boolean): void => {
    const at = element.order;
    for (let node = element.first; node !== null; node = node.next) {
      if (isText(node)) addLength(sums, at, node.data, inLink, block);
      if (!isElement(node) || isUnseen(node)) continue;
      if (isSurely(node)) {
        sums.noise.add(node);
        continue;
      }
      const isBlock = linesAround(node) > 0 || node.localName === 'td';
      visit(node, isBlock ? node.order : block, inLink || node.localName === 'a');
      const length = sums.text[node.order] ?? 0;
      if (length < mostShare(node) * whole) {
        sums.noise.add(node);
        continue;
      }
      for (const sum of [sums.text, sums.links, sums.commas]) {
        sum[at] = (sum[at] ?? 0) + (sum[node.order] ?? 0);
      }
    }
  };
  const top = bodyOf(document);
  if (top !== undefined) visit(top, top.order, false);
  return sums;
}

function bodyOf(document: PageDocument): TreeElement | undefined {
  return document.elements.find(({ localName }) => localName === 'body');
}

function linkShare({ text, links }: Sums, { order }: TreeElement): number {
  const length = text[order] ?? 0;
  return length === 0 ? 0 : (links[order] ?? 0) / length;
}

function startScore(element: TreeElement): number {
  const names = namesOf(element);
  const byName = CONTENT.test(names) ? 25 : 0;
  switch (element.localName) {
    case 'article':
    case 'main': {
      return 25 + byName;
    }
    case 'li':
    case 'ul':
    case 'ol':
    case 'dl':
    case 'th': {
      return -5 + byName;
    }
    default: {
      return byName;
    }
  }
}

/** Gives each paragraph's score to its ancestors. The ancestor with the highest score holds the content. */
function scoreElements(document: PageDocument, sums: Sums): Map<TreeElement, number> {
  const scores = new Map<TreeElement, number>();
  let noiseEnds = -1;
  for (const element of document.elements) {
    if (sums.noise.has(element)) noiseEnds = Math.max(noiseEnds, element.lastOrder);
    if (element.order <= noiseEnds) continue;
    const length = sums.own[element.order] ?? 0;
    if (length < PARAGRAPH_LENGTH) continue;
    const score = 1 + (sums.ownCommas[element.order] ?? 0) + Math.min(Math.floor(length / 100), 3);
    // A block with both text and other blocks is its own container.
    let around: TreeElement | null =
      (sums.text[element.order] ?? 0) > 2 * length ? element : parentElement(element);
    for (let level = 0; around !== null && level < SCORED_ANCESTORS; level += 1) {
      if (around.localName === 'html') break;
      const share = level === 0 ? 1 : level === 1 ? 1 / 2 : 1 / (level * 3);
      scores.set(around, (scores.get(around) ?? startScore(around)) + score * share);
      around = parentElement(around);
    }
  }
  for (const [element, score] of scores) scores.set(element, score * (1 - linkShare(sums, element)));
  return scores;
}

function bestOf(scores: ReadonlyMap<TreeElement, number>): TreeElement | undefined {
  let best: TreeElement | undefined;
  let most = 0;
  for (const [element, score] of scores) {
    if (score > most) {
      best = element;
      most = score;
    }
  }
  return best;
}

function holds(outer: TreeElement, inner: TreeElement): boolean {
  return outer.order <= inner.order && inner.order <= outer.lastOrder;
}

/** When an article is split into parts: the element around the best part and others that score nearly as well. */
function aroundParts(best: TreeElement, scores: ReadonlyMap<TreeElement, number>): TreeElement {
  const least = (scores.get(best) ?? 0) * 0.5;
  const parts = [...scores]
    .filter(([element, score]) => score >= least && !holds(element, best) && !holds(best, element))
    .slice(0, 50)
    .map(([element]) => element);
  if (parts.length < 2) return best;
  for (let around = parentElement(best); around !== null; around = parentElement(around)) {
    const outer = around;
    if (outer.localName === 'body') break;
    if (parts.filter((part) => holds(outer, part)).length >= 2) return outer;
  }
  return best;
}

/** The `<article>` that contains the best element. */
function wholeArticle(best: TreeElement, sums: Sums): TreeElement {
  const length = sums.text[best.order] ?? 0;
  let whole = best;
  for (let around = parentElement(best); around !== null; around = parentElement(around)) {
    if (linkShare(sums, around) > 0.35) continue;
    const isArticle = around.localName === 'article' || attributeOf(around, 'itemprop') === 'articleBody';
    const isMain = around.localName === 'main' || attributeOf(around, 'role') === 'main';
    if (isArticle || (isMain && (sums.text[around.order] ?? 0) < 2 * length)) whole = around;
  }
  return whole;
}

/** Siblings that continue the content: parts with a sufficient score, and paragraphs of prose. */
function withSiblings(
  best: TreeElement,
  scores: ReadonlyMap<TreeElement, number>,
  sums: Sums,
): TreeElement[] {
  const { parent } = best;
  if (!isElement(parent) || best.localName === 'body') return [best];
  const least = Math.max(10, (scores.get(best) ?? 0) * 0.2);
  const elements: TreeElement[] = [];
  for (let node = parent.first; node !== null; node = node.next) {
    if (!isElement(node) || sums.noise.has(node) || isUnseen(node)) continue;
    const isProse =
      node.localName === 'p' && (sums.text[node.order] ?? 0) > 80 && linkShare(sums, node) < 0.25;
    if (node === best || (scores.get(node) ?? 0) >= least || isProse) elements.push(node);
  }
  return elements;
}

const LINK_PARTS = new Set(['div', 'section', 'ul', 'ol', 'dl']);

/** Lists of links inside the content that are not prose. */
function addLinkLists(
  document: PageDocument,
  elements: readonly TreeElement[],
  sums: Sums,
  without: Set<TreeElement>,
): void {
  for (const top of elements) {
    for (const element of document.elements.slice(top.order + 1, top.lastOrder + 1)) {
      if (!LINK_PARTS.has(element.localName)) continue;
      if (linkShare(sums, element) > LINK_SHARE && (sums.commas[element.order] ?? 0) < 10)
        without.add(element);
    }
  }
}

/**
 * Finds the main content of a page and leaves out navigation, asides, forms and lists of links. Paragraphs give their
 * ancestors a score by length and commas; links lower it. Takes one pass over any page.
 */
export function mainContentOf(document: PageDocument): MainContent {
  const sums = measure(document);
  const scores = scoreElements(document, sums);
  const best = bestOf(scores);
  const without = new Set(sums.noise);
  if (best === undefined) {
    const top = document.elements.find(({ localName }) => localName === 'main') ?? bodyOf(document);
    return { elements: top === undefined ? [] : [top], without };
  }
  const elements = withSiblings(wholeArticle(aroundParts(best, scores), sums), scores, sums);
  addLinkLists(document, elements, sums, without);
  return { elements, without };
}
