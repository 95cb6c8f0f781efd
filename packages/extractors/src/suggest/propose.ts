import { metaOf } from '../engine/page-state.ts';
import { dataLeaves } from './candidates/data.ts';
import { labelness } from './places/labelness.ts';
import type { PageModel } from './page/page-model.ts';
import { fieldName, recordExamples, recordGroups } from './lists/records.ts';
import { fold } from './page/text.ts';
import type { Examples, ExampleValue } from './types.ts';

/** Proposes examples without user input, from the pages' labels, structured data and repeated records. */

const MAX_FACTS = 24;

function addFact(facts: Record<string, ExampleValue>, words: string, value: string): void {
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

function structuredFacts(model: PageModel, facts: Record<string, ExampleValue>): void {
  for (const { root, path, raw } of dataLeaves(model)) {
    if (root.kind === 'json' || path.some((part) => typeof part === 'number' && part > 0)) continue;
    const names = path.filter((part) => typeof part === 'string');
    const key = names.at(-1);
    if (key === undefined || !FACT_KEYS.has(key.toLowerCase()) || names.length > 3) continue;
    const owner = names.at(-2);
    addFact(facts, key === 'name' && owner !== undefined ? owner : key, raw);
  }
}

function labelledFacts(model: PageModel, facts: Record<string, ExampleValue>): void {
  for (const [index, spot] of model.texts.entries()) {
    const value = model.texts[index + 1];
    if (value === undefined || value.text.length > 200 || /[:：]$/.test(value.text)) continue;
    const isLabel = /[:：]$/.test(spot.text) || ['th', 'dt'].includes(spot.parent.localName);
    if (!isLabel || spot.text.length > 40 || labelness(model, spot, [], undefined) < 0.7) continue;
    const cell = value.parent.localName;
    if (cell === 'th' || cell === 'dt' || cell === 'title' || cell === 'option') continue;
    addFact(facts, spot.text, value.text);
  }
}

/** Examples for the first page. The other pages only serve as checks. */
export function proposeExamples(models: readonly PageModel[]): (Examples | undefined)[] {
  return models.map((model, index) => {
    if (index > 0) return undefined;
    const facts: Record<string, ExampleValue> = {};
    const heading = model.texts.find(({ parent }) => parent.localName === 'h1');
    const title = heading?.text ?? metaOf(model.state, 'og:title')[0];
    if (title !== undefined) addFact(facts, 'title', title);
    structuredFacts(model, facts);
    labelledFacts(model, facts);
    const records = recordExamples(recordGroups(model)[0] ?? []);
    if (records !== undefined && !Object.hasOwn(facts, 'items')) facts['items'] = records;
    return facts;
  });
}
