import { metaOf } from '@gleaner/extractors/parts';
import { dataLeaves, type DataLeaf } from './candidates/data.ts';
import { ancestorsOf, contains } from './page/dom.ts';
import { attributeOf, elementsByTag, textOf, type TreeElement } from '@gleaner/html';
import { labelness } from './places/labelness.ts';
import type { PageModel, TextSpot } from './page/page-model.ts';
import { isInForm, isInNavigation, isMenu } from './lists/navigation.ts';
import { fieldName, recordExamples, recordGroups } from './lists/records.ts';
import { fold } from './page/text.ts';
import type { Examples, ExampleValue } from './types.ts';

/** Proposes examples without user input, from the pages' labels, structured data and repeated records. */

type Facts = Record<string, ExampleValue>;

const MAX_FACTS = 24;
/** An object of embedded JSON with fewer values is a setting of the site, one with more its words. */
const MIN_RECORD = 3;
const MAX_RECORD = 40;
/** A page with more texts shows its values. */
const FEW_TEXTS = 60;

/** `rel`, `itemprop` or a class of an author's name. */
const AUTHOR = /(?:^| )(?:author|author-name|byline-author)(?: |$)/;

/** A class or `itemprop` of a price, and of one that no longer holds. */
const PRICE_NAME = /(?:^|[ _-])(?:price|amount)(?:$|[ _-])/i;
const OLD_PRICE = /(?:^|[ _-])(?:old|was|regular|list|before|strike|compare|rrp|msrp|original)(?:$|[ _-])/i;
/** An amount with a currency before or after it, and nothing else. */
const PRICE_TEXT = /^(?:\p{Sc}|[A-Z]{3})\s?\d[\d.,\s]{0,15}$|^\d[\d.,\s]{0,15}(?:\p{Sc}|[A-Z]{3})$/u;

function namesOf(element: TreeElement): string {
  return ['rel', 'itemprop', 'class'].map((name) => attributeOf(element, name) ?? '').join(' ');
}

/** The row of a table that an element is in. */
function rowOf(element: TreeElement): TreeElement | undefined {
  return [element, ...ancestorsOf(element)].find(({ localName }) => localName === 'tr');
}

function addFact(facts: Facts, words: string, value: string): void {
  const name = fieldName(words);
  const text = fold(value);
  if (name === undefined || text === '' || text.length > 300 || Object.hasOwn(facts, name)) return;
  if (Object.keys(facts).length >= MAX_FACTS || Object.values(facts).includes(text)) return;
  facts[name] = text;
}

const FACT_KEYS = new Set(
  'name headline price pricecurrency sku brand ratingvalue reviewcount author datepublished description telephone image gtin13 isbn availability address streetaddress'.split(
    ' ',
  ),
);

function structuredFacts(model: PageModel, facts: Facts): void {
  for (const { root, path, raw } of dataLeaves(model)) {
    if (root.kind === 'json' || path.some((part) => typeof part === 'number' && part > 0)) continue;
    const names = path.filter((part) => typeof part === 'string');
    const key = names.at(-1);
    if (key === undefined || !FACT_KEYS.has(key.toLowerCase()) || names.length > 3) continue;
    const owner = names.at(-2);
    addFact(facts, key === 'name' && owner !== undefined ? owner : key, raw);
  }
}

/** The values of embedded JSON outside of lists. A flag or a blank says nothing without its page. */
function embeddedLeaves(model: PageModel): DataLeaf[] {
  return dataLeaves(model).filter(
    ({ root, path, value }) =>
      root.kind === 'json' &&
      path.every((part) => typeof part === 'string') &&
      typeof value !== 'boolean' &&
      value !== '',
  );
}

/** The object with the most values, and the objects in it: what a page of one thing is about. */
function mainRecord(model: PageModel): DataLeaf[] {
  const leaves = embeddedLeaves(model);
  const ownerOf = ({ root, path }: DataLeaf, depth = path.length - 1): string =>
    JSON.stringify([root.script, path.slice(0, depth)]);
  const members = Map.groupBy(leaves, (leaf) => ownerOf(leaf));
  const records = [...members.values()].filter(({ length }) => length <= MAX_RECORD);
  const [main] = records.reduce((most, record) => (record.length > most.length ? record : most), []);
  if (main === undefined) return [];
  const depth = main.path.length - 1;
  const owner = ownerOf(main);
  return leaves.filter((leaf) => leaf.path.length <= depth + 2 && ownerOf(leaf, depth) === owner);
}

/** The main record of the embedded JSON, for a page that shows none of it before its scripts have run. */
function embeddedFacts(model: PageModel, facts: Facts): void {
  if (model.texts.length > FEW_TEXTS) return;
  const record = mainRecord(model);
  const shown = record.filter(({ raw }) => model.byText.has(fold(raw)));
  if (record.length < MIN_RECORD || shown.length > record.length / 2) return;
  for (const { path, raw } of record) addFact(facts, String(path.at(-1)), raw);
}

/** The author and the date of a page that names one of each, as articles do. */
function bylineFacts(model: PageModel, facts: Facts): void {
  const [author, ...others] = model.document.elements.filter(
    (element) => element.localName !== 'meta' && AUTHOR.test(namesOf(element)),
  );
  if (author !== undefined && others.length === 0) addFact(facts, 'author', textOf(model.document, author));
  const [time, ...times] = elementsByTag(model.document, 'time');
  const at = time === undefined || times.length > 0 ? undefined : attributeOf(time, 'datetime');
  if (at !== undefined) addFact(facts, 'published', at);
}

/** The price of a page that shows one, outside of its lists: an amount with a currency in an element that is named so. */
function priceFact(model: PageModel, listed: readonly TreeElement[], facts: Facts): void {
  const isPrice = (element: TreeElement): boolean => {
    const around = [element, ...ancestorsOf(element, 2)];
    const isOld = around.some((one) => one.localName === 'del' || OLD_PRICE.test(namesOf(one)));
    const isNamed = around.some((one) => PRICE_NAME.test(namesOf(one)));
    return isNamed && !isOld && !listed.some((row) => contains(row, element));
  };
  const prices = model.texts.filter(({ text, parent }) => PRICE_TEXT.test(text) && isPrice(parent));
  const [price, ...others] = new Set(prices.map(({ text }) => text));
  if (price !== undefined && others.length === 0) addFact(facts, 'price', price);
}

const MOST_LABEL_WORDS = 4;
const MOST_LABELLED = 80;

/** Whether a text after a colon is its value: no sentence, no button, no part of a form or a menu. */
function isBesideLabel({ text, parent }: TextSpot, value: TextSpot): boolean {
  return (
    text.split(' ').length <= MOST_LABEL_WORDS &&
    value.text.length <= MOST_LABELLED &&
    /[\p{L}\p{N}]/u.test(value.text) &&
    ![parent, value.parent].some((element) => isInForm(element) || isInNavigation(element))
  );
}

/** @returns the names of those that stand after a colon, outside of tables and lists of terms */
function labelledFacts(model: PageModel, facts: Facts): Set<string> {
  const byColon = new Set<string>();
  for (const [index, spot] of model.texts.entries()) {
    const value = model.texts[index + 1];
    if (value === undefined || value.text.length > 200 || /[:：]$/.test(value.text)) continue;
    const isCell = ['th', 'dt'].includes(spot.parent.localName);
    if (!isCell && !(/[:：]$/.test(spot.text) && isBesideLabel(spot, value))) continue;
    if (spot.text.length > 40 || labelness(model, spot, [], undefined) < 0.7) continue;
    const cell = value.parent.localName;
    if (cell === 'th' || cell === 'dt' || cell === 'title' || cell === 'option') continue;
    // The last header of a table is before the first cell of its first row.
    if (spot.parent.localName === 'th' && rowOf(spot.parent) !== rowOf(value.parent)) continue;
    addFact(facts, spot.text, value.text);
    const name = fieldName(spot.text);
    if (!isCell && name !== undefined) byColon.add(name);
  }
  return byColon;
}

const MIN_ARTICLE = 800;
const ARTICLE_TYPE = /Article|Posting|Report$/;

/** Whether a page is one text that somebody wrote: it says so or has an author or a date, and paragraphs. */
function isArticle(model: PageModel, facts: Facts): boolean {
  const says =
    metaOf(model.state, 'og:type')[0]?.trim() === 'article' ||
    ['author', 'published', 'date_published'].some((name) => Object.hasOwn(facts, name)) ||
    dataLeaves(model).some(({ path, raw }) => path.at(-1) === '@type' && ARTICLE_TYPE.test(raw));
  if (!says) return false;
  const paragraphs = elementsByTag(model.document, 'p').filter((one) => !isInNavigation(one));
  const length = paragraphs.reduce((sum, one) => sum + fold(textOf(model.document, one)).length, 0);
  return length >= MIN_ARTICLE;
}

/** What a page without examples is about. */
export interface Proposal {
  readonly examples: Examples;
  /** From 0 to 1 by name: the chance that the value is one that a person wants; 1 for those that are left out. */
  readonly trust: ReadonlyMap<string, number>;
  readonly isArticle: boolean;
}

/** A text after a colon may be a value; in an article most are sentences. */
const TRUST_OF_LABEL = { page: 0.8, article: 0.45 };

/** Examples for a page by its title, structured data, labels and records. */
export function proposeExamples(model: PageModel): Proposal {
  const facts: Facts = {};
  const groups = recordGroups(model);
  const heading = model.texts.find(({ parent }) => parent.localName === 'h1');
  const title = heading?.text ?? metaOf(model.state, 'og:title')[0];
  if (title !== undefined) addFact(facts, 'title', title);
  structuredFacts(model, facts);
  bylineFacts(model, facts);
  priceFact(model, groups.flat(), facts);
  const article = isArticle(model, facts);
  const known = new Set(Object.keys(facts));
  const byColon = labelledFacts(model, facts);
  const trust = new Map(
    [...byColon]
      .filter((name) => !known.has(name))
      .map((name) => [name, article ? TRUST_OF_LABEL.article : TRUST_OF_LABEL.page]),
  );
  embeddedFacts(model, facts);
  const listed = groups.find(
    (rows) => !rows.some(isInNavigation) && !isMenu(model.document, rows.slice(0, 12)),
  );
  const records = recordExamples(model.document, listed ?? []);
  const isTable = Object.keys(records?.[0] ?? {}).length > 1;
  if (records !== undefined && isTable && !Object.hasOwn(facts, 'items')) facts['items'] = records;
  return { examples: facts, trust, isArticle: article };
}
