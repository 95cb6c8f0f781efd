import {
  attributeOf,
  baseUrlOf,
  elementsByTag,
  encodeQuery,
  HTML_NAMESPACE,
  nextElement,
  selectElements,
  type PageDocument,
  type TreeElement,
} from '@gleaner/html';
import type { CrawlRules } from './compile-crawl.ts';
import { linkLine } from './link-line.ts';
import { splitAddress, type Normalise } from './normalise.ts';

/** Bounds of one page. Links beyond them are counted and left out. */
export const LINK_LIMITS = {
  /** Different addresses. */
  links: 10_000,
  /** Elements with an address, of which many may name the same. */
  elements: 50_000,
  /** Characters of all lines. */
  characters: 4_000_000,
} as const;

/** What a crawl reads of a page. */
export interface PageLinks {
  /** The page's own address: after redirects, or its canonical address where that is believed. */
  identity: string;
  /** The canonical address that the page gives, believed or not. */
  canonical: string | null;
  /** The page asks not to be listed. */
  noindex: boolean;
  /** The page asks not to follow its links. */
  nofollow: boolean;
  /** Each address once, in the order of the document, as `linkLine` writes it. */
  lines: string[];
  /** Elements with links beyond the limits, which were not read. */
  leftOut: number;
}

/** A page that was fetched. */
export interface FetchedAddress {
  /** Normalised, of the task. */
  url: string;
  /** After redirects. */
  finalUrl: string;
  /** The header `Link` of its response. */
  link?: string | undefined;
}

/** Characters of the header `Link` that are read. */
const MAX_HEADER = 16_384;

const NAMES: ReadonlySet<string> = new Set(['a', 'area', 'link', 'iframe', 'frame']);

/** Schemes that are no pages; texts of megabytes follow some of them. */
const NO_PAGE = /^\s*(?:#|(?:javascript|mailto|tel|data|blob|about):)/i;

/** What the page's meta tags say to robots. */
function readRobotsMeta(document: PageDocument): Pick<PageLinks, 'noindex' | 'nofollow'> {
  const words = new Set<string>();
  for (const element of elementsByTag(document, 'meta')) {
    if (attributeOf(element, 'name')?.trim().toLowerCase() !== 'robots') continue;
    const content = attributeOf(element, 'content') ?? '';
    for (const word of content.toLowerCase().split(/[\s,]+/)) words.add(word);
  }
  const isNone = words.has('none');
  return { noindex: isNone || words.has('noindex'), nofollow: isNone || words.has('nofollow') };
}

/** Marks links to the next page: elements that a selector of `next` finds, and links inside them. */
function markNext(document: PageDocument, { next }: CrawlRules): (element: TreeElement) => boolean {
  if (next.length === 0) return () => false;
  const marked = new Set(next.flatMap((selector) => selectElements(selector, document, null)));
  let until = -1;
  const starts = [...marked].map(({ order, lastOrder }) => ({ order, lastOrder }));
  starts.sort((a, b) => a.order - b.order);
  let at = 0;
  return ({ order }) => {
    for (let start = starts[at]; start !== undefined && start.order <= order; start = starts[at]) {
      until = Math.max(until, start.lastOrder);
      at += 1;
    }
    return order <= until;
  };
}

const INDEX_FILE = /\/(?:index|default)\.(?:[sx]?html?|php\d?|aspx?|jsp|cfm|cgi)$/;

/** What stays of an address without what may differ between two ways to write one page. */
function pageKey(address: string): string {
  const { host, path } = splitAddress(address);
  const plain = path.toLowerCase().replace(INDEX_FILE, '/');
  return host.replace(/^www\./, '') + (plain.endsWith('/') ? plain.slice(0, -1) : plain);
}

/**
 * Whether `rel=canonical` is believed: where it differs in query, trailing slash, case, index file, scheme or `www.`.
 * Many sites give all pages the same canonical address, and would lose all pages but one.
 */
function isBelieved(canonical: string, address: string): boolean {
  return pageKey(canonical) === pageKey(address);
}

/** The address that the page gives as its own, normalised; null without one. */
function canonicalOf(
  document: PageDocument,
  page: FetchedAddress,
  base: string | undefined,
  normalise: Normalise,
): string | null {
  for (const element of elementsByTag(document, 'link')) {
    if (element.namespace !== HTML_NAMESPACE) continue;
    const href = attributeOf(element, 'href');
    if (href === undefined || href.trim() === '') continue;
    if (relOf(attributeOf(element, 'rel')).includes('canonical'))
      return normalise(encodeQuery(href, document.encoding), base);
  }
  return canonicalOfHeader(page, normalise);
}

/** One link of the header: its address, then its parameters. */
const HEADER_LINK = /<([^<>]*)>([^<]*)/g;
const REL = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i;

/** The address that the header `Link` calls canonical. It is relative to the page, whatever its `<base>` says (RFC 8288). */
function canonicalOfHeader({ link = '', finalUrl }: FetchedAddress, normalise: Normalise): string | null {
  for (const [, address = '', parameters = ''] of link.slice(0, MAX_HEADER).matchAll(HEADER_LINK)) {
    const rel = REL.exec(parameters);
    if (relOf(rel?.[1] ?? rel?.[2]).includes('canonical')) return normalise(address.trim(), finalUrl);
  }
  return null;
}

/** The words of an attribute `rel`. */
function relOf(value: string | undefined): string[] {
  return value === undefined ? [] : value.toLowerCase().split(/\s+/);
}

interface Link {
  href: string;
  isNext: boolean;
}

function isFrame({ localName }: TreeElement): boolean {
  return localName === 'iframe' || localName === 'frame';
}

/** The address that an element names. A frame whose page stands in this one is no link. */
function addressOf(element: TreeElement): string | undefined {
  if (!isFrame(element)) return attributeOf(element, 'href') ?? attributeOf(element, 'xlink:href');
  const isComposed = nextElement(element)?.localName === 'gleaner-frame';
  const address = isComposed ? undefined : attributeOf(element, 'src');
  return address?.trim() === '' ? undefined : address;
}

/** The elements with links, in the order of the document. */
function* linksIn(document: PageDocument, rules: CrawlRules): Generator<Link> {
  const isNext = markNext(document, rules);
  for (const element of document.elements) {
    if (!NAMES.has(element.localName)) continue;
    const href = addressOf(element);
    if (href === undefined || NO_PAGE.test(href)) continue;
    const rel = relOf(attributeOf(element, 'rel'));
    if (rules.nofollow && rel.includes('nofollow')) continue;
    const isMarked = isNext(element);
    // Other `link` elements name style sheets and other versions of the page.
    if (element.localName !== 'link' || isMarked || rel.includes('next')) yield { href, isNext: isMarked };
  }
}

function collectLines(
  document: PageDocument,
  { url }: FetchedAddress,
  base: string | undefined,
  rules: CrawlRules,
): Pick<PageLinks, 'lines' | 'leftOut'> {
  const lines: string[] = [];
  const positions = new Map<string, number>();
  let characters = 0;
  let elements = 0;
  let leftOut = 0;
  for (const { href, isNext } of linksIn(document, rules)) {
    elements += 1;
    if (elements > LINK_LIMITS.elements) {
      leftOut += 1;
      continue;
    }
    const address = rules.normalise(encodeQuery(href, document.encoding), base);
    if (address === null || address === url) continue;
    const known = positions.get(address);
    if (known !== undefined) {
      if (isNext) lines[known] = `n${lines[known]?.slice(1)}`;
    } else if (lines.length >= LINK_LIMITS.links || characters + address.length > LINK_LIMITS.characters) {
      leftOut += 1;
    } else {
      characters += address.length;
      positions.set(address, lines.length);
      lines.push(linkLine(isNext ? 'n' : 'l', address, rules));
    }
  }
  return { lines, leftOut };
}

/** Reads what a crawl needs of a parsed page: its identity and the links that its route may follow. */
export function readLinks(document: PageDocument, page: FetchedAddress, rules: CrawlRules): PageLinks {
  const base = baseUrlOf(document, page.finalUrl);
  const own = rules.normalise(page.finalUrl) ?? page.url;
  const canonical = canonicalOf(document, page, base, rules.normalise);
  const robots = readRobotsMeta(document);
  const isFollowed = rules.follows(rules.routeOf(page.url)) && !(rules.nofollow && robots.nofollow);
  return {
    identity: canonical !== null && isBelieved(canonical, own) ? canonical : own,
    canonical,
    ...robots,
    ...(isFollowed ? collectLines(document, page, base, rules) : { lines: [], leftOut: 0 }),
  };
}
