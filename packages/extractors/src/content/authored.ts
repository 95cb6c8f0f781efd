import {
  attributeOf,
  elementsByTag,
  isUnseen,
  parentElement,
  resolveUrl,
  type TreeElement,
} from '@gleaner/html';
import type { FactsOf } from './facts-of.ts';
import type { Json } from '../json/jsonpath.ts';
import { createDateReader, type DateReader } from '../values/date.ts';
import { isRealDate } from '../values/date-parts.ts';
import { knownLanguage } from '../values/languages.ts';
import { isPicture, isStandIn, pictureAddressOf } from '../pictures/picture.ts';
import { bylines, datedTexts, type DatedText } from './bylines.ts';
import {
  type Entity,
  inData,
  inMeta,
  isAtPage,
  isEntity,
  isOfType,
  shownText,
  textsOf,
} from './page-data.ts';
import { placesBeside } from './places-beside.ts';

const EPOCH = '1970-01-01';
const WITHIN_ISO = /\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s?(?:Z|[+-]\d{2}:?\d{2})?)?/;

/** Whether a date in data is one, and not what stands for none: `0000-00-00`, `0001-01-01T00:00:00`, `1970-01-01`. */
function isDay(date: string): boolean {
  const [year = 0, month = 0, day = 0] = date.slice(0, 10).split('-').map(Number);
  return year >= EARLIEST && !date.startsWith(EPOCH) && isRealDate({ year, month, day });
}

function dateIn(read: DateReader, of: FactsOf, text: string): string | undefined {
  const { fetchedAt } = of.page;
  const reading = read(text, { language: of.language(), fetchedAt, isByline: true });
  const date = WITHIN_ISO.exec(text)?.[0] ?? (reading.state === 'value' ? reading.value : undefined);
  // What is announced was not published yet. A day of grace: the east is ahead.
  const latest = fetchedAt === undefined ? undefined : new Date(Date.parse(fetchedAt) + DAY_MS).toISOString();
  return date === undefined ||
    !isDay(date) ||
    (latest !== undefined && date.slice(0, 10) > latest.slice(0, 10))
    ? undefined
    : date;
}

const EARLIEST = 1000;
const DAY_MS = 86_400_000;

const PUBLISHED = {
  data: ['datePublished', 'uploadDate', 'dateCreated'],
  meta: (
    'article:published_time og:article:published_time datepublished og:published_time parsely-pub-date sailthru.date ' +
    'article.published publish-date publication_date publish_date pubdate citation_publication_date citation_date ' +
    'dc.date.issued dc.date.created dcterms.created dcterms.issued dcterms.date dc.date date created'
  ).split(' '),
  properties: new Set(['datePublished', 'dateCreated']),
};
const MODIFIED = {
  data: ['dateModified'],
  meta: 'article:modified_time og:updated_time datemodified og:modified_time dcterms.modified dc.date.modified last-modified revised'.split(
    ' ',
  ),
  properties: new Set(['dateModified']),
};

/** Works whose dates are their own, not those of the page about them. */
const WORKS =
  /Book|Movie|Series|Season|TVEpisode|Game|Software|Product|Event|Service|Music|^Review$|Comment|Person/;

/** Whether the dates of an entity are those of the page: not of a work, and of a video only where the page is about it. */
function hasPageDates(of: FactsOf): (entity: Entity) => boolean {
  return (entity) => {
    if (!isOfType(entity, /Video/)) return !isOfType(entity, WORKS);
    const isVideoPage = of.meta('og:type').some((type) => type.startsWith('video'));
    return isVideoPage || isAtPage(entity, of) === true || textsOf(entity['name'])[0] === headlineOf(of);
  };
}

/** Whether microdata says the element's property of a work, a review or a comment. */
function isOfWork(element: TreeElement): boolean {
  let parent = parentElement(element);
  while (parent !== null && attributeOf(parent, 'itemscope') === undefined) parent = parentElement(parent);
  const types = parent === null ? '' : (attributeOf(parent, 'itemtype') ?? '');
  return types.split(/\s+/).some((type) => WORKS.test(type.slice(type.lastIndexOf('/') + 1)));
}

function* marked({ document }: FactsOf, properties: ReadonlySet<string>): Generator<string> {
  const beside = placesBeside(document);
  for (const element of document.elements) {
    if (!properties.has(attributeOf(element, 'itemprop') ?? '') || beside.has(element.order)) continue;
    if (isOfWork(element)) continue;
    yield attributeOf(element, 'datetime') ?? attributeOf(element, 'content') ?? shownText(document, element);
  }
}

const CHANGED = /modif|updat|edit/i;

/** The dates of `<time>` that are bylines, and whether each is that of a change. */
function* times(of: FactsOf): Generator<DatedText> {
  const { document } = of;
  const beside = placesBeside(document);
  const heading = elementsByTag(document, 'h1')[0]?.order ?? 0;
  const all = elementsByTag(document, 'time').filter((time) => !beside.has(time.order) && !isOfWork(time));
  const isBelow = ({ order }: TreeElement): boolean => order > heading;
  // Times above the heading are mostly of other things; a byline is right below it.
  for (const element of [...all.filter(isBelow), ...all.filter((time) => !isBelow(time)).toReversed()]) {
    const shown = shownText(document, element);
    const isMarked = CHANGED.test(`${attributeOf(element, 'class')} ${attributeOf(element, 'itemprop')}`);
    const date = { shown, written: attributeOf(element, 'datetime') ?? shown };
    for (const { text, isChange } of datedTexts(
      document,
      { element, date, isNamed: true },
      knownLanguage(of.language()),
    ))
      yield { text, isChange: isChange || isMarked };
  }
}

/** Two numbers that can each be the day: what the page says is not known. */
const UNSURE = /(?<!\d)\d{1,2}([./-])\d{1,2}\1\d{2,4}(?!\d)/;

const readDay = createDateReader({ kind: 'date' });

/** Whether a date above the heading is the day of the fetch: sites write today's date in their header. */
function isToday(of: FactsOf, element: TreeElement, text: string): boolean {
  const { fetchedAt } = of.page;
  const [heading] = elementsByTag(of.document, 'h1');
  if (fetchedAt === undefined || heading === undefined || element.order > heading.order) return false;
  const date = dateIn(readDay, of, text);
  return date !== undefined && Math.abs(Date.parse(date) - Date.parse(fetchedAt)) < 2 * DAY_MS;
}

/** What bylines say of one of the page's days. One that can't be understood ends the search. */
function* written(of: FactsOf, wantsChange: boolean): Generator<string> {
  const language = knownLanguage(of.language());
  for (const { text, isChange } of times(of)) if (isChange === wantsChange) yield text;
  for (const { element, isNamed } of bylines(of.document)) {
    for (const { text, isChange } of datedTexts(of.document, { element, isNamed }, language)) {
      if (isChange !== wantsChange || isToday(of, element, text)) continue;
      yield text;
      if (UNSURE.test(text)) return;
    }
  }
}

function* inAddress({ page }: FactsOf): Generator<string> {
  const [, year, month, day] =
    /\/(20\d\d|19\d\d)[/-](\d{1,2})[/-](\d{1,2})(?=[/-]|$)/.exec(page.finalUrl ?? page.url ?? '') ?? [];
  if (day !== undefined) yield `${year}-${month?.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

function firstDate(of: FactsOf, sources: readonly Iterable<Json>[]): string | undefined {
  const read = createDateReader({ kind: 'date' });
  for (const source of sources) {
    for (const value of source) {
      const date = typeof value === 'string' ? dateIn(read, of, value) : undefined;
      if (date !== undefined) return date;
    }
  }
  return undefined;
}

function* isoAlone(values: Iterable<Json>): Generator<Json> {
  for (const value of values) if (typeof value === 'string' && WITHIN_ISO.test(value)) yield value;
}

/** When the page says that it was published: as in its data, else the day alone. */
export function publishedOf(of: FactsOf): string | undefined {
  const isDated = hasPageDates(of);
  return firstDate(of, [
    // A date in words in the data is often when the whole site was built.
    isoAlone(inData(of, PUBLISHED.data, isDated)),
    isoAlone(inMeta(of, PUBLISHED.meta)),
    marked(of, PUBLISHED.properties),
    inAddress(of),
    written(of, false),
    inData(of, PUBLISHED.data, isDated),
    inMeta(of, PUBLISHED.meta),
  ]);
}

/** When the page says that it was changed last. */
export function modifiedOf(of: FactsOf): string | undefined {
  return firstDate(of, [
    inData(of, MODIFIED.data, hasPageDates(of)),
    inMeta(of, MODIFIED.meta),
    marked(of, MODIFIED.properties),
    written(of, true),
  ]);
}

/** The heading of what the page is about: of its data, of its meta tags, else the first of its text. */
export function headlineOf(of: FactsOf): string | undefined {
  for (const value of inData(of, ['headline'])) {
    const [text] = textsOf(value);
    if (text !== undefined) return text;
  }
  const title = inMeta(of, ['og:title', 'twitter:title']).next().value;
  if (typeof title === 'string') return title;
  for (const element of elementsByTag(of.document, 'h1')) {
    const text = shownText(of.document, element).trim();
    if (text !== '') return text;
  }
  return undefined;
}

/** What the page says of itself in a sentence or two. */
export function descriptionOf(of: FactsOf): string | undefined {
  for (const value of inData(of, ['description'])) {
    const [text] = textsOf(value);
    if (text !== undefined) return text;
  }
  return (
    inMeta(of, ['description', 'og:description', 'twitter:description', 'dc.description']).next().value ??
    undefined
  );
}

function* imagesOf(of: FactsOf): Generator<string> {
  for (const value of inData(of, ['image', 'thumbnailUrl'])) {
    const [address] = textsOf(
      isEntity(value) ? (value['url'] ?? value['contentUrl'] ?? value['@id']) : value,
    );
    // A fragment names an entity of the page.
    if (address !== undefined && !address.includes('#')) yield address;
  }
  yield* inMeta(of, ['og:image', 'og:image:url', 'twitter:image', 'twitter:image:src', 'image']);
  const link = elementsByTag(of.document, 'link').find((one) => attributeOf(one, 'rel') === 'image_src');
  const address = link && attributeOf(link, 'href');
  if (address !== undefined) yield address;
  yield* shownImages(of);
}

const SMALL = 100;
const ICON = /(?:^|[\s_/.-])(?:logo|icon|avatar|sprite|badge|button|emoji)s?(?=$|[\s_/.\d-])/i;

function isIcon(picture: TreeElement, address: string): boolean {
  const isSmall = ['width', 'height'].some((name) => Number(attributeOf(picture, name) || SMALL) < SMALL);
  return (
    isSmall || ICON.test(`${attributeOf(picture, 'class') ?? ''} ${address}`) || address.endsWith('.svg')
  );
}

/** Pictures of the page's text: in its article, else below its heading. */
function* shownImages({ document }: FactsOf): Generator<string> {
  const [article] = [...elementsByTag(document, 'article'), ...elementsByTag(document, 'main')];
  const [heading] = elementsByTag(document, 'h1');
  const from = article?.order ?? heading?.order;
  if (from === undefined) return;
  for (const picture of document.elements.slice(from, article && article.lastOrder + 1)) {
    if (picture.localName === 'picture' || !isPicture(picture) || isUnseen(picture)) continue;
    const address = pictureAddressOf(document, picture);
    if (address !== undefined && !isStandIn(address) && !isIcon(picture, address)) yield address;
  }
}

/** The address of the picture that stands for the page. What only stands in for a picture counts last. */
export function imageOf(of: FactsOf): string | undefined {
  const { base, document } = of;
  let standIn: string | undefined;
  for (const written of imagesOf(of)) {
    const url = resolveUrl(written, base, document.encoding);
    if (url === undefined || /^data:/i.test(url)) continue;
    if (!isStandIn(written)) return url;
    standIn ??= url;
  }
  return standIn;
}
