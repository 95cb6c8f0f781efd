import { isObject } from '@gleaner/contracts/values';
import { type PageDocument, type TreeElement, isUnseen, readTextOf, resolveUrl } from '@gleaner/html';
import type { Json } from '../json/jsonpath.ts';
import type { FactsOf } from './facts-of.ts';

export type Entity = Record<string, Json>;

export function isEntity(value: Json | undefined): value is Entity {
  return isObject(value);
}

export function listOf(value: Json | undefined): Json[] {
  return value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
}

export function textsOf(value: Json | undefined): string[] {
  return listOf(value).flatMap((one) => (typeof one === 'string' && one.trim() !== '' ? [one.trim()] : []));
}

/** Things that customers review. */
const THINGS = /Question|Product|Video|SoftwareApplication|Service/;
/** What a page is about, the likeliest first. Entities of other types describe the site, a picture or a comment. */
const SUBJECTS = [
  /Article|Posting|Report|Recipe|Review$|Book|Movie|Event|Course|Episode|Dataset|HowTo/,
  THINGS,
  /Page$|CreativeWork/,
];

function plainAddress(url: string): string {
  const [address = ''] = url.split('#');
  return address.replace(/^https?:\/\/(?:www\.)?/i, '').replace(/\/$/, '');
}

/** Whether an entity says that it is what is at the page's address, or at another one; undefined where it says nothing. */
export function isAtPage(entity: Entity, { page, base, document }: FactsOf): boolean | undefined {
  const own = [page.finalUrl, page.url].flatMap((url) => (url === undefined ? [] : plainAddress(url)));
  const named = [entity['url'], entity['mainEntityOfPage']].flatMap((value) =>
    textsOf(isEntity(value) ? value['@id'] : value),
  );
  const urls = named.flatMap((address) => resolveUrl(address, base, document.encoding) ?? []);
  if (urls.length === 0 || own.length === 0) return undefined;
  return urls.some((url) => own.includes(plainAddress(url)));
}

/** Entities at the page's own address come first. Several at other addresses are of a list, and none is the page's. */
function ownFirst(of: FactsOf, entities: readonly Entity[]): Entity[] {
  if (entities.length < 2) return [...entities];
  const {
    own = [],
    open = [],
    other = [],
  } = Object.groupBy(entities, (entity) => {
    const isOwn = isAtPage(entity, of);
    return isOwn === undefined ? 'open' : isOwn ? 'own' : 'other';
  });
  return [...own, ...open, ...(other.length > 1 ? [] : other)];
}

export function isOfType(entity: Entity, types: RegExp): boolean {
  return textsOf(entity['@type']).some((type) => types.test(type));
}

export function subjectsOf(of: FactsOf): Entity[] {
  const all = of
    .entities()
    .flatMap((entity) => (isEntity(entity) ? [entity, ...listOf(entity['mainEntity'])] : []))
    .filter((entity) => isEntity(entity));
  const subjects = SUBJECTS.flatMap((types) =>
    ownFirst(
      of,
      all.filter((entity) => isOfType(entity, types)),
    ),
  );
  // What customers say of a thing is not the page's own review of it.
  const reviews = subjects.filter((entity) => isOfType(entity, /^Review$/));
  const isReviewed = subjects.some((entity) => isOfType(entity, THINGS));
  return reviews.length > 1 || isReviewed ? subjects.filter((entity) => !reviews.includes(entity)) : subjects;
}

/** Values in the order of where they were found; the first that is one counts. */
export function* inData(
  of: FactsOf,
  properties: readonly string[],
  isWanted: (entity: Entity) => boolean = () => true,
): Generator<Json> {
  for (const entity of subjectsOf(of)) {
    if (isWanted(entity)) for (const property of properties) yield* listOf(entity[property]);
  }
}

export function* inMeta(of: FactsOf, names: readonly string[]): Generator<string> {
  for (const name of names) for (const value of of.meta(name)) if (value.trim() !== '') yield value.trim();
}

export function shownText(document: PageDocument, element: TreeElement): string {
  return isUnseen(element) ? '' : readTextOf(document, element);
}

/** Names of people or organisations; `@id` stands for an entity elsewhere on the page. */
export function namesOf(value: Json, entities: readonly Json[]): string[] {
  if (typeof value === 'string') return textsOf(value);
  if (!isEntity(value)) return [];
  if (value['name'] !== undefined) return listOf(value['name']).flatMap((name) => textsOf(name));
  const id = value['@id'];
  const same = entities.find(
    (entity) => isEntity(entity) && entity['@id'] === id && entity['name'] !== undefined,
  );
  return isEntity(same) ? textsOf(same['name']) : [];
}
