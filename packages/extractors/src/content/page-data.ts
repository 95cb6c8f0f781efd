import { isObject } from '@gleaner/contracts/values';
import {
  type PageDocument,
  type TreeElement,
  attributeOf,
  elementsByTag,
  isUnseen,
  readTextOf,
} from '@gleaner/html';
import type { Json } from '../json/jsonpath.ts';
import type { FactsOf } from './facts-of.ts';

type Entity = Record<string, Json>;

export function isEntity(value: Json | undefined): value is Entity {
  return isObject(value);
}

export function listOf(value: Json | undefined): Json[] {
  return value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
}

export function textsOf(value: Json | undefined): string[] {
  return listOf(value).flatMap((one) => (typeof one === 'string' && one.trim() !== '' ? [one.trim()] : []));
}

/** What a page is about, the likeliest first. Entities of other types describe the site, a picture or a comment. */
const SUBJECTS = [
  /Article|Posting|Report|Recipe|Review$|Book|Movie|Event|Course|Episode|Dataset|HowTo/,
  /Question|Product|Video|SoftwareApplication|Service/,
  /Page$|CreativeWork/,
];

export function subjectsOf(of: FactsOf): Entity[] {
  const all = of
    .entities()
    .flatMap((entity) => (isEntity(entity) ? [entity, ...listOf(entity['mainEntity'])] : []))
    .filter((entity) => isEntity(entity));
  return SUBJECTS.flatMap((types) =>
    all.filter((entity) => textsOf(entity['@type']).some((type) => types.test(type))),
  );
}

/** Values in the order of where they were found; the first that is one counts. */
export function* inData(of: FactsOf, properties: readonly string[]): Generator<Json> {
  for (const entity of subjectsOf(of)) {
    for (const property of properties) yield* listOf(entity[property]);
  }
}

export function* inMeta(of: FactsOf, names: readonly string[]): Generator<string> {
  for (const name of names) for (const value of of.meta(name)) if (value.trim() !== '') yield value.trim();
}

export function shownText(document: PageDocument, element: TreeElement): string {
  return isUnseen(element) ? '' : readTextOf(document, element);
}

const BYLINE_NAMES =
  /(?:^|[\s_-])(?:by-?line|date\w*|published?|post(?:ed)?-?(?:on|date|meta|info)?|entry-meta|meta|time(?:stamp)?)(?=$|[\s_-])/i;
export const BYLINE_LENGTH = 200;
const BYLINE_ELEMENTS = 40;

/** Short texts that may be a byline: elements with such names, and those right after the heading. */
export function* bylines({ document }: FactsOf): Generator<string> {
  const heading = elementsByTag(document, 'h1')[0];
  const near = heading === undefined ? [] : document.elements.slice(heading.lastOrder + 1);
  const named = document.elements.filter((element) => BYLINE_NAMES.test(attributeOf(element, 'class') ?? ''));
  for (const element of [...near.slice(0, BYLINE_ELEMENTS), ...named.slice(0, BYLINE_ELEMENTS)]) {
    const text = shownText(document, element);
    if (text !== '' && text.length <= BYLINE_LENGTH) yield text;
  }
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
