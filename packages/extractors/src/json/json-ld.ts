import { type PageDocument, attributeOf, elementsByTag, textOf } from '@gleaner/html';
import type { Json } from './jsonpath.ts';
import { parseJsonText } from './loose-value.ts';

/** Some publishers still wrap blocks in comments and CDATA marks, as XHTML required. */
function unwrap(text: string): string {
  return text
    .trim()
    .replace(/^(?:\/\*\s*)?<!\[CDATA\[(?:\s*\*\/)?|^<!--/, '')
    .replace(/(?:\/\*\s*|\/\/\s*)?\]\]>(?:\s*\*\/)?$|-->$/, '')
    .trim()
    .replace(/;$/, '');
}

function flatten(value: Json, entities: Json[], depth: number): void {
  if (Array.isArray(value)) {
    if (depth < 10) for (const item of value) flatten(item, entities, depth + 1);
  } else if (value !== null && typeof value === 'object') {
    const graph = value['@graph'];
    if (Array.isArray(graph)) flatten(graph, entities, depth + 1);
    else if (graph !== undefined && graph !== null && typeof graph === 'object') entities.push(graph);
    else entities.push(value);
  }
}

/** All entities of the page's JSON-LD: arrays and `@graph` flattened. A broken block doesn't affect the others. */
export function readJsonLd(document: PageDocument): Json[] {
  const entities: Json[] = [];
  for (const script of elementsByTag(document, 'script')) {
    const type = attributeOf(script, 'type')?.split(';')[0]?.trim().toLowerCase();
    if (type !== 'application/ld+json') continue;
    const text = unwrap(textOf(document, script));
    const value = text === '' ? undefined : parseJsonText(text);
    if (value !== undefined) flatten(value, entities, 0);
  }
  return entities;
}
