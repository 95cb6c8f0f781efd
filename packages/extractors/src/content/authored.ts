import { isObject } from '@gleaner/contracts/values';
import {
  type PageDocument,
  type TreeElement,
  attributeOf,
  elementsByTag,
  isUnseen,
  readTextOf,
  resolveUrl,
} from '@gleaner/html';
import type { FactsOf } from './facts-of.ts';
import type { Json } from '../json/jsonpath.ts';
import { createDateReader, type DateReader } from '../values/date.ts';

type Entity = Record<string, Json>;

function isEntity(value: Json | undefined): value is Entity {
  return isObject(value);
}

function listOf(value: Json | undefined): Json[] {
  return value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
}

function textsOf(value: Json | undefined): string[] {
  return listOf(value).flatMap((one) => (typeof one === 'string' && one.trim() !== '' ? [one.trim()] : []));
}

/** What a page is about, the likeliest first. Entities of other types describe the site, a picture or a comment. */
const SUBJECTS = [
  /Article|Posting|Report|Recipe|Review$|Book|Movie|Event|Course|Episode|Dataset|HowTo/,
  /Question|Product|Video|SoftwareApplication|Service/,
  /Page$|CreativeWork/,
];

function subjectsOf(of: FactsOf): Entity[] {
  const all = of
    .entities()
    .flatMap((entity) => (isEntity(entity) ? [entity, ...listOf(entity['mainEntity'])] : []))
    .filter((entity) => isEntity(entity));
  return SUBJECTS.flatMap((types) =>
    all.filter((entity) => textsOf(entity['@type']).some((type) => types.test(type))),
  );
}

/** Values in the order of where they were found; the first that is one counts. */
function* inData(of: FactsOf, properties: readonly string[]): Generator<Json> {
  for (const entity of subjectsOf(of)) {
    for (const property of properties) yield* listOf(entity[property]);
  }
}

function* inMeta(of: FactsOf, names: readonly string[]): Generator<string> {
  for (const name of names) for (const value of of.meta(name)) if (value.trim() !== '') yield value.trim();
}

const WITHIN_ISO = /\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s?(?:Z|[+-]\d{2}:?\d{2})?)?/;

function dateIn(read: DateReader, of: FactsOf, text: string): string | undefined {
  const { fetchedAt } = of.page;
  const reading = read(text, { language: of.language(), fetchedAt, isByline: true });
  const date = WITHIN_ISO.exec(text)?.[0] ?? (reading.state === 'value' ? reading.value : undefined);
  // What is announced was not published yet. A day of grace: the east is ahead.
  const latest = fetchedAt === undefined ? undefined : new Date(Date.parse(fetchedAt) + DAY_MS).toISOString();
  return date === undefined || (latest !== undefined && date.slice(0, 10) > latest.slice(0, 10))
    ? undefined
    : date;
}

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

function shownText(document: PageDocument, element: TreeElement): string {
  return isUnseen(element) ? '' : readTextOf(document, element);
}

function* marked({ document }: FactsOf, properties: ReadonlySet<string>): Generator<string> {
  for (const element of document.elements) {
    if (!properties.has(attributeOf(element, 'itemprop') ?? '')) continue;
    yield attributeOf(element, 'datetime') ?? attributeOf(element, 'content') ?? shownText(document, element);
  }
}

const CHANGED = /modif|updat|edit/i;

function* times({ document }: FactsOf): Generator<string> {
  const heading = elementsByTag(document, 'h1')[0]?.order ?? 0;
  const all = elementsByTag(document, 'time').filter(
    (time) => !CHANGED.test(`${attributeOf(time, 'class')} ${attributeOf(time, 'itemprop')}`),
  );
  // Times above the heading are mostly of other things; a byline is right below it.
  for (const time of [...all.filter(({ order }) => order > heading), ...all.toReversed()])
    yield attributeOf(time, 'datetime') ?? readTextOf(document, time);
}

function* inAddress({ page }: FactsOf): Generator<string> {
  const [, year, month, day] =
    /\/(20\d\d|19\d\d)[/-](\d{1,2})[/-](\d{1,2})(?=[/-]|$)/.exec(page.finalUrl ?? page.url ?? '') ?? [];
  if (day !== undefined) yield `${year}-${month?.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

const BYLINE_NAMES =
  /(?:^|[\s_-])(?:by-?line|date\w*|published?|post(?:ed)?-?(?:on|date|meta|info)?|entry-meta|meta|time(?:stamp)?)(?=$|[\s_-])/i;
const BYLINE_LENGTH = 200;
const BYLINE_ELEMENTS = 40;

/** Short texts that may be a byline: elements with such names, and those right after the heading. */
function* bylines({ document }: FactsOf): Generator<string> {
  const heading = elementsByTag(document, 'h1')[0];
  const near = heading === undefined ? [] : document.elements.slice(heading.lastOrder + 1);
  const named = document.elements.filter((element) => BYLINE_NAMES.test(attributeOf(element, 'class') ?? ''));
  for (const element of [...near.slice(0, BYLINE_ELEMENTS), ...named.slice(0, BYLINE_ELEMENTS)]) {
    const text = shownText(document, element);
    if (text !== '' && text.length <= BYLINE_LENGTH) yield text;
  }
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
  return firstDate(of, [
    // A date in words in the data is often when the whole site was built.
    isoAlone(inData(of, PUBLISHED.data)),
    isoAlone(inMeta(of, PUBLISHED.meta)),
    marked(of, PUBLISHED.properties),
    inAddress(of),
    times(of),
    bylines(of),
    inData(of, PUBLISHED.data),
    inMeta(of, PUBLISHED.meta),
  ]);
}

/** When the page says that it was changed last. */
export function modifiedOf(of: FactsOf): string | undefined {
  return firstDate(of, [
    inData(of, MODIFIED.data),
    inMeta(of, MODIFIED.meta),
    marked(of, MODIFIED.properties),
  ]);
}

const MOST_NAME = 80;

const BEFORE_NAME =
  /^(?:(?:written|posted|published|reviewed|authored|medically reviewed|story|article|words|text) )?(?:by|von|par|por|di|door|af|av|od|przez|автор|autor(?:in)?|auteur|author|text|foto)(?::\s?|\s(?!of\s))/i;
/** Words after a name: when it was written, and what a reader may do. */
const AFTER_NAME =
  /(?:\s|,)+(?:(?:on|am|le|el|op|den|at|in)\s+)?(?:(?:posted|published|updated|last|follow|view|see|read|share|subscribe|more|veröffentlicht|aktualisiert)(?:\s.*)?|(?:mon|tues?|wednes|thurs?|fri|satur|sun)(?:day)?,?(?:\s.*)?|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s\d.*|\d{1,2}[\s./-].*)$/i;
/** Labels of forms, and names that stand for nobody. */
const NO_NAME =
  /^(?:(?:user|display|first|last|full|your)?[ _-]?name|author|authors|by|e-?mail|password|log ?in|sign ?(?:in|up)|register|search|anonymous|unknown|guest|admin|administrator|editor|webmaster|user|member|moderator|op|none|null|undefined|about the author|profile|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|comments?|reply|share|follow)\W*$/i;

/** A name without what sites write around it; undefined for addresses, names of accounts and whole sentences. */
function nameIn(text: string): string | undefined {
  const whole = text.slice(0, BYLINE_LENGTH).replaceAll(/\s+/g, ' ').trim();
  const line = whole
    .replace(/^.*\b(?:written|posted|published|authored) by:?\s/i, '')
    .replace(BEFORE_NAME, '');
  const [part = ''] = line.split(/[|•·]/, 1);
  // What follows with a year is the date.
  const [name = ''] = /\d{4}/.test(part) ? part.split(/,| [–-] /, 1) : [part];
  const known = name
    .trim()
    .replace(AFTER_NAME, '')
    .replace(/[,–-]$/, '')
    .trim();
  const isNone = known.length > MOST_NAME || NO_NAME.test(known);
  return known === '' || isNone || /https?:|^www\.|^@|\S@\S|^[\d\s/.:-]+$/.test(known) ? undefined : known;
}

/** Names of people or organisations; `@id` stands for an entity elsewhere on the page. */
function namesOf(value: Json, entities: readonly Json[]): string[] {
  if (typeof value === 'string') return textsOf(value);
  if (!isEntity(value)) return [];
  if (value['name'] !== undefined) return listOf(value['name']).flatMap((name) => textsOf(name));
  const id = value['@id'];
  const same = entities.find(
    (entity) => isEntity(entity) && entity['@id'] === id && entity['name'] !== undefined,
  );
  return isEntity(same) ? textsOf(same['name']) : [];
}

const AUTHOR_META =
  'author article:author parsely-author sailthru.author dc.creator dcterms.creator byl citation_author twitter:creator'.split(
    ' ',
  );
const AUTHOR_NAMES =
  /(?:^|[\s_-])(?:author|by-?line|username|user-?name|post-?author|creator|poster)(?:[_-]?name|[_-]?link)?(?=$|[\s_-])/i;

/** Texts of elements that the page marks as its author, the surest first. */
function* markedAuthors({ document }: FactsOf): Generator<string> {
  const { elements } = document;
  const isAuthor = (element: TreeElement): boolean => /\bauthor\b/.test(attributeOf(element, 'rel') ?? '');
  for (const element of elements.filter((one) => attributeOf(one, 'itemprop') === 'author')) {
    const name = elements
      .slice(element.order, element.lastOrder + 1)
      .find((one) => attributeOf(one, 'itemprop') === 'name');
    yield (
      (name && (attributeOf(name, 'content') ?? readTextOf(document, name))) ?? readTextOf(document, element)
    );
  }
  const isOther = besideThePage(document);
  for (const element of elements)
    if (isAuthor(element) && !isOther(element)) yield shownText(document, element);
  for (const element of elements) {
    if (AUTHOR_NAMES.test(attributeOf(element, 'class') ?? '') && !isOther(element))
      yield shownText(document, element);
  }
}

const FORM_PARTS: ReadonlySet<string> = new Set([
  'form',
  'label',
  'input',
  'button',
  'select',
  'textarea',
  'nav',
]);
const COMMENTS = /(?:^|[\s_-])(?:comments?|respond|disqus|replies)(?=$|[\s_-])/i;

/** Tells elements within forms, and within the comments of an article: who comments has not written it. */
function besideThePage({ elements }: PageDocument): (element: TreeElement) => boolean {
  const ranges = elements.filter(
    (element) =>
      FORM_PARTS.has(element.localName) ||
      COMMENTS.test(`${attributeOf(element, 'class') ?? ''} ${attributeOf(element, 'id') ?? ''}`),
  );
  const isBody = ({ localName }: TreeElement): boolean =>
    localName === 'body' || localName === 'html' || localName === 'main';
  const parts = ranges.filter((element) => !isBody(element));
  return ({ order }) => parts.some((part) => part.order <= order && order <= part.lastOrder);
}

const BY =
  /^(?:(?:written|posted|published) )?by:?\s+(\p{Lu}[\p{L}\p{M}.'’-]*(?:\s+[\p{L}\p{M}.'’-]+){0,4})/iu;

/** The names of the site and of who publishes it, in lower case. */
function publishersOf(of: FactsOf): Set<string> {
  const entities = of.entities();
  const names = [...inData(of, ['publisher'])].flatMap((value) => namesOf(value, entities));
  return new Set(
    [...names, ...inMeta(of, ['og:site_name', 'application-name'])].map((name) => name.toLowerCase()),
  );
}

/** The names that each part of the page gives, the surest part first. */
function* authorsOf(of: FactsOf): Generator<string[]> {
  const entities = of.entities();
  for (const entity of subjectsOf(of)) {
    const names = ['author', 'creator'].flatMap((property) =>
      listOf(entity[property]).flatMap((value) => namesOf(value, entities)),
    );
    const known = [...new Set(names.flatMap((name) => nameIn(name) ?? []))];
    if (known.length > 0) yield known;
  }
  for (const found of [inMeta(of, AUTHOR_META), markedAuthors(of)]) {
    for (const text of found) {
      const name = nameIn(text);
      if (name !== undefined) yield [name];
    }
  }
  for (const text of bylines(of)) {
    const name = nameIn(BY.exec(text)?.[1] ?? '');
    if (name !== undefined) yield [name];
  }
}

/** Who the page says wrote it; several names separated by commas. A person comes before the site itself. */
export function authorOf(of: FactsOf): string | undefined {
  const publishers = publishersOf(of);
  let publisher: string | undefined;
  for (const names of authorsOf(of)) {
    const people = names.filter((name) => !publishers.has(name.toLowerCase()));
    if (people.length > 0) return people.join(', ');
    publisher ??= names.join(', ');
  }
  return publisher;
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

/** The address of the picture that stands for the page. */
export function imageOf(of: FactsOf): string | undefined {
  const { base, document } = of;
  for (const value of inData(of, ['image', 'thumbnailUrl'])) {
    const [address] = textsOf(
      isEntity(value) ? (value['url'] ?? value['contentUrl'] ?? value['@id']) : value,
    );
    const url = address === undefined ? undefined : resolveUrl(address, base, document.encoding);
    if (url !== undefined && !url.includes('#')) return url;
  }
  const link = elementsByTag(of.document, 'link').find((one) => attributeOf(one, 'rel') === 'image_src');
  const address =
    inMeta(of, ['og:image', 'og:image:url', 'twitter:image', 'twitter:image:src', 'image']).next().value ??
    (link && attributeOf(link, 'href'));
  return address === undefined ? undefined : resolveUrl(address, base, document.encoding);
}
