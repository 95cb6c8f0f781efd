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
import { baseOf, jsonLdOf, languageOf, metaOf, microdataOf, type PageState } from '../engine/page-state.ts';
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

/** The entities of the page's JSON-LD, then of its microdata. */
function entitiesOf(state: PageState): Json[] {
  return [...jsonLdOf(state).entities, ...microdataOf(state)];
}

function subjectsOf(state: PageState): Entity[] {
  const all = entitiesOf(state)
    .flatMap((entity) => (isEntity(entity) ? [entity, ...listOf(entity['mainEntity'])] : []))
    .filter((entity) => isEntity(entity));
  return SUBJECTS.flatMap((types) =>
    all.filter((entity) => textsOf(entity['@type']).some((type) => types.test(type))),
  );
}

/** Values in the order of where they were found; the first that is one counts. */
function* inData(state: PageState, properties: readonly string[]): Generator<Json> {
  for (const entity of subjectsOf(state)) {
    for (const property of properties) yield* listOf(entity[property]);
  }
}

function* inMeta(state: PageState, names: readonly string[]): Generator<string> {
  for (const name of names)
    for (const value of metaOf(state, name)) if (value.trim() !== '') yield value.trim();
}

const WITHIN_ISO = /\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s?(?:Z|[+-]\d{2}:?\d{2})?)?/;

function dateIn(read: DateReader, state: PageState, text: string): string | undefined {
  const iso = WITHIN_ISO.exec(text)?.[0];
  if (iso !== undefined) return iso;
  const reading = read(text, { language: languageOf(state), fetchedAt: state.page.fetchedAt });
  return reading.state === 'value' ? reading.value : undefined;
}

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

function* marked({ document }: PageState, properties: ReadonlySet<string>): Generator<string> {
  for (const element of document.elements) {
    if (!properties.has(attributeOf(element, 'itemprop') ?? '')) continue;
    yield attributeOf(element, 'datetime') ?? attributeOf(element, 'content') ?? shownText(document, element);
  }
}

const CHANGED = /modif|updat|edit/i;

function* times({ document }: PageState): Generator<string> {
  const heading = elementsByTag(document, 'h1')[0]?.order ?? 0;
  const all = elementsByTag(document, 'time').filter(
    (time) => !CHANGED.test(`${attributeOf(time, 'class')} ${attributeOf(time, 'itemprop')}`),
  );
  // Times above the heading are mostly of other things; a byline is right below it.
  for (const time of [...all.filter(({ order }) => order > heading), ...all.toReversed()])
    yield attributeOf(time, 'datetime') ?? readTextOf(document, time);
}

function* inAddress({ page }: PageState): Generator<string> {
  const [, year, month, day] =
    /\/(20\d\d|19\d\d)[/-](\d{1,2})[/-](\d{1,2})(?=[/-]|$)/.exec(page.finalUrl ?? page.url ?? '') ?? [];
  if (day !== undefined) yield `${year}-${month?.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

const BYLINE_NAMES =
  /(?:^|[\s_-])(?:by-?line|date\w*|published?|post(?:ed)?-?(?:on|date|meta|info)?|entry-meta|meta|time(?:stamp)?)(?=$|[\s_-])/i;
const BYLINE_LENGTH = 200;
const BYLINE_ELEMENTS = 40;

/** Short texts that may be a byline: elements with such names, and those right after the heading. */
function* bylines({ document }: PageState): Generator<string> {
  const heading = elementsByTag(document, 'h1')[0];
  const near = heading === undefined ? [] : document.elements.slice(heading.lastOrder + 1);
  const named = document.elements.filter((element) => BYLINE_NAMES.test(attributeOf(element, 'class') ?? ''));
  for (const element of [...near.slice(0, BYLINE_ELEMENTS), ...named.slice(0, BYLINE_ELEMENTS)]) {
    const text = shownText(document, element);
    if (text !== '' && text.length <= BYLINE_LENGTH) yield text;
  }
}

function firstDate(state: PageState, sources: readonly Iterable<Json>[]): string | undefined {
  const read = createDateReader({ kind: 'date' });
  for (const source of sources) {
    for (const value of source) {
      const date = typeof value === 'string' ? dateIn(read, state, value) : undefined;
      if (date !== undefined) return date;
    }
  }
  return undefined;
}

function* isoAlone(values: Iterable<Json>): Generator<Json> {
  for (const value of values) if (typeof value === 'string' && WITHIN_ISO.test(value)) yield value;
}

/** When the page says that it was published: as in its data, else the day alone. */
export function publishedOf(state: PageState): string | undefined {
  return firstDate(state, [
    // A date in words in the data is often when the whole site was built.
    isoAlone(inData(state, PUBLISHED.data)),
    isoAlone(inMeta(state, PUBLISHED.meta)),
    marked(state, PUBLISHED.properties),
    inAddress(state),
    times(state),
    bylines(state),
    inData(state, PUBLISHED.data),
    inMeta(state, PUBLISHED.meta),
  ]);
}

/** When the page says that it was changed last. */
export function modifiedOf(state: PageState): string | undefined {
  return firstDate(state, [
    inData(state, MODIFIED.data),
    inMeta(state, MODIFIED.meta),
    marked(state, MODIFIED.properties),
  ]);
}

const MOST_NAME = 80;

const BEFORE_NAME =
  /^(?:(?:written|posted|published|reviewed|authored) )?(?:by|von|par|por|di|door|af|av|od)(?::\s?|\s)/i;

/** A name without what sites write around it; undefined for addresses, names of accounts and whole sentences. */
function nameIn(text: string): string | undefined {
  const line = text.slice(0, BYLINE_LENGTH).replaceAll(/\s+/g, ' ').trim().replace(BEFORE_NAME, '');
  const [part = ''] = line.split(/[|•·]/, 1);
  // What follows with a year is the date.
  const [name = ''] = /\d{4}/.test(part) ? part.split(/,| [–-] /, 1) : [part];
  const known = name
    .trim()
    .replace(/[,–-]$/, '')
    .trim();
  return known === '' || known.length > MOST_NAME || /https?:|^@|^[\d\s/.:-]+$/.test(known)
    ? undefined
    : known;
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
function* markedAuthors({ document }: PageState): Generator<string> {
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
  for (const element of elements) if (isAuthor(element)) yield shownText(document, element);
  for (const element of elements) {
    if (AUTHOR_NAMES.test(attributeOf(element, 'class') ?? '')) yield shownText(document, element);
  }
}

const BY =
  /^(?:(?:written|posted|published) )?by:?\s+(\p{Lu}[\p{L}\p{M}.'’-]*(?:\s+[\p{L}\p{M}.'’-]+){0,4})/iu;

/** Who the page says wrote it; several names separated by commas. */
export function authorOf(state: PageState): string | undefined {
  const entities = entitiesOf(state);
  for (const entity of subjectsOf(state)) {
    const names = ['author', 'creator'].flatMap((property) =>
      listOf(entity[property]).flatMap((value) => namesOf(value, entities)),
    );
    const known = [...new Set(names.flatMap((name) => nameIn(name) ?? []))];
    if (known.length > 0) return known.join(', ');
  }
  for (const found of [inMeta(state, AUTHOR_META), markedAuthors(state)]) {
    for (const text of found) {
      const name = nameIn(text);
      if (name !== undefined) return name;
    }
  }
  for (const text of bylines(state)) {
    const [, name] = BY.exec(text) ?? [];
    if (name !== undefined) return nameIn(name);
  }
  return undefined;
}

/** What the page says of itself in a sentence or two. */
export function descriptionOf(state: PageState): string | undefined {
  for (const value of inData(state, ['description'])) {
    const [text] = textsOf(value);
    if (text !== undefined) return text;
  }
  return (
    inMeta(state, ['description', 'og:description', 'twitter:description', 'dc.description']).next().value ??
    undefined
  );
}

/** The address of the picture that stands for the page. */
export function imageOf(state: PageState): string | undefined {
  const base = baseOf(state);
  for (const value of inData(state, ['image', 'thumbnailUrl'])) {
    const [address] = textsOf(
      isEntity(value) ? (value['url'] ?? value['contentUrl'] ?? value['@id']) : value,
    );
    const url = address === undefined ? undefined : resolveUrl(address, base);
    if (url !== undefined && !url.includes('#')) return url;
  }
  const link = elementsByTag(state.document, 'link').find((one) => attributeOf(one, 'rel') === 'image_src');
  const address =
    inMeta(state, ['og:image', 'og:image:url', 'twitter:image', 'twitter:image:src', 'image']).next().value ??
    (link && attributeOf(link, 'href'));
  return address === undefined ? undefined : resolveUrl(address, base);
}
