import { type PageDocument, attributeOf, elementsByTag, textOf } from '@gleaner/html';
import type { Json } from './jsonpath.ts';
import { parseJsonText } from './loose-value.ts';
import { decodeEntities } from './script-data.ts';

/** The text without HTML comments before its data. One that holds the data itself stays. */
function withoutComments(text: string): string {
  let rest = text.trim();
  while (rest.startsWith('<!--')) {
    const end = rest.indexOf('-->');
    const after = end === -1 ? '' : rest.slice(end + 3).trimStart();
    if (!/^(?:[[{]|<!--|\/\*|\/\/)/.test(after)) break;
    rest = after;
  }
  return rest;
}

/** Some publishers still wrap blocks in comments and CDATA marks, as XHTML required. */
function unwrap(text: string): string {
  return withoutComments(text)
    .replace(/^(?:\/\*\s*)?<!\[CDATA\[(?:\s*\*\/)?|^<!--/, '')
    .replace(/(?:\/\*\s*|\/\/\s*)?\]\]>(?:\s*\*\/)?$|-->$/, '')
    .trim()
    .replace(/;$/, '');
}

/** A block that was escaped as text of a page: `{&quot;@type&quot;: …`. */
function parseEscaped(text: string): Json | undefined {
  return /^[\s[{]*&(?:quot|#34|#x22);/i.test(text) ? parseJsonText(decodeEntities(text)) : undefined;
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
    const value = text === '' ? undefined : (parseJsonText(text) ?? parseEscaped(text));
    if (value !== undefined) flatten(value, entities, 0);
  }
  return entities;
}
