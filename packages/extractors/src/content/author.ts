import { type TreeElement, attributeOf, readTextOf } from '@gleaner/html';
import type { FactsOf } from './facts-of.ts';
import { BYLINE_LENGTH, bylines } from './bylines.ts';
import { inData, inMeta, listOf, namesOf, shownText, subjectsOf } from './page-data.ts';
import { placesBeside } from './places-beside.ts';

const MOST_NAME = 80;

const BEFORE_NAME =
  /^(?:(?:written|posted|published|reviewed|authored|medically reviewed|story|article|words|text) )?(?:by|von|par|por|di|door|af|av|od|przez|автор|autor(?:in)?|auteur|author|text|foto)(?::\s?|\s(?!of\s))/i;
/** Words after a name: when it was written, and what a reader may do. */
const AFTER_NAME =
  /(?:\s|,)+(?:(?:on|am|le|el|op|den|at|in)\s+)?(?:(?:posted|published|updated|last|follow|view|see|read|share|subscribe|more|veröffentlicht|aktualisiert)(?:\s.*)?|(?:mon|tues?|wednes|thurs?|fri|satur|sun)(?:day)?,?(?:\s.*)?|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s\d.*|\d{1,2}[\s./-].*)$/i;
/** Labels of forms, and names that stand for nobody. */
const NO_NAME =
  /^(?:(?:user|display|first|last|full|your)?[ _-]?name|author|authors|by|e-?mail|password|log ?in|sign ?(?:in|up)|register|search|anonymous|unknown|guest|admin|administrator|editor|webmaster|user|member|moderator|op|none|null|undefined|about the author|profile|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|comments?|reply|share|follow)\W*$/i;

/** Words in small letters that names have. */
const PARTICLES = new Set(
  'de da di do dos das del della du der den von van ter ten la le el al bin ibn and und et y e i och og'.split(
    ' ',
  ),
);
const ABOUT = /^(?:about|über|à propos|sobre|acerca|informazioni|over) /i;

/** Whether a text is prose about somebody: `About the author …`, `Ann Lee writes about bridges`. */
function isSentence(text: string): boolean {
  const words = text.match(/\p{L}[\p{L}\p{M}'’-]*/gu) ?? [];
  const small = words.filter((word) => /^\p{Ll}/u.test(word) && !PARTICLES.has(word));
  return ABOUT.test(text) || (words.length > 2 && small.length > 1);
}

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
  const isNone = known.length > MOST_NAME || isSentence(known) || NO_NAME.test(known);
  return known === '' || isNone || /https?:|^www\.|^@|\S@\S|^[\d\s/.:-]+$/.test(known) ? undefined : known;
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
  const beside = placesBeside(document);
  for (const element of elements) {
    if (attributeOf(element, 'itemprop') !== 'author' || beside.has(element.order)) continue;
    const name = elements
      .slice(element.order, element.lastOrder + 1)
      .find((one) => attributeOf(one, 'itemprop') === 'name');
    yield (
      (name && (attributeOf(name, 'content') ?? readTextOf(document, name))) ?? readTextOf(document, element)
    );
  }
  for (const element of elements)
    if (isAuthor(element) && !beside.has(element.order)) yield shownText(document, element);
  for (const element of elements) {
    if (AUTHOR_NAMES.test(attributeOf(element, 'class') ?? '') && !beside.has(element.order))
      yield shownText(document, element);
  }
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
  for (const { text } of bylines(of.document)) {
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
