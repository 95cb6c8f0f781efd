import { type Words, likeness, nameQuality, wordsOf } from '../page/names.ts';
import { once } from '../page/once.ts';
import type { AnySource } from '@gleaner/contracts';
import { isObject } from '@gleaner/contracts/values';
import {
  jsonLdOf,
  metaOf,
  microdataOf,
  scriptDataOf,
  compileJsonPath,
  queryJson,
  type Json,
  resolveReferences,
  compileScriptFinder,
} from '@gleaner/extractors/parts';
import { candidate, type Candidate, type Family } from './candidate.ts';
import { attributeOf, elementsByTag } from '@gleaner/html';
import type { PageModel } from '../page/page-model.ts';
import { quoted } from '../page/text.ts';

/** One value in a page's structured data. */
export interface DataLeaf {
  readonly raw: string;
  readonly value: string | number | boolean;
  readonly root: DataRoot;
  /** Names and indexes from the root. */
  readonly path: readonly (string | number)[];
}

interface DataRoot {
  readonly kind: 'jsonld' | 'microdata' | 'json';
  /** For `json`: the selector or pattern that finds the script. */
  readonly script: string | undefined;
  /** JSONPath of the entity: `$[?@['@type']=='Product']`. */
  readonly path: string;
  readonly type: string | undefined;
}

const MAX_LEAVES = 30_000;
const MAX_DEPTH = 14;

function collect(value: Json, root: DataRoot, leaves: DataLeaf[]): void {
  const walk = (inner: Json, path: readonly (string | number)[]): void => {
    if (leaves.length >= MAX_LEAVES || path.length > MAX_DEPTH || inner === null) return;
    if (typeof inner !== 'object') {
      leaves.push({ raw: String(inner), value: inner, root, path });
      return;
    }
    if (Array.isArray(inner)) for (const [index, item] of inner.entries()) walk(item, [...path, index]);
    else for (const [key, item] of Object.entries(inner)) walk(item, [...path, key]);
  };
  walk(value, []);
}

function typeOf(entity: Json): string | undefined {
  if (!isObject(entity)) return undefined;
  const type = entity['@type'];
  const first = Array.isArray(type) ? type[0] : type;
  return typeof first === 'string' && /^[\w:/.-]{1,60}$/.test(first) ? first : undefined;
}

/** Each entity by its type; several of one type by the first. */
function entities(kind: 'jsonld' | 'microdata', values: readonly Json[], leaves: DataLeaf[]): void {
  const seen = new Map<string, number>();
  for (const [index, entity] of values.slice(0, 400).entries()) {
    const type = typeOf(entity);
    const isPlain = type !== undefined && isObject(entity) && typeof entity['@type'] === 'string';
    const nth = type === undefined ? 0 : (seen.get(type) ?? 0);
    if (type !== undefined) seen.set(type, nth + 1);
    // The path finds the first entity of its type; later ones are rows of a list.
    if (isPlain && nth > 0) continue;
    const path = isPlain ? `$[?@['@type']=='${type}']` : `$[${index}]`;
    collect(entity, { kind, script: undefined, path, type }, leaves);
  }
}

/** Ways to find a script: its id, its type, or the name that its data is assigned to. */
function scriptFinders(model: PageModel): string[] {
  const finders = new Set<string>();
  for (const script of elementsByTag(model.document, 'script')) {
    const id = attributeOf(script, 'id');
    const type = attributeOf(script, 'type')?.split(';')[0]?.trim().toLowerCase();
    if (type === 'application/ld+json') continue;
    const isJson = type === 'application/json' || type === 'text/x-json';
    if (id !== undefined && /^[A-Za-z_][\w-]*$/.test(id) && (isJson || nameQuality(id) >= 0.5)) {
      if (isJson) finders.add(`script#${id}`);
      continue;
    }
    if (isJson) finders.add(`script[type="${attributeOf(script, 'type') ?? ''}"]`);
    const text = script.first !== null && 'data' in script.first ? script.first.data : '';
    for (const [, name] of text
      .slice(0, 2_000_000)
      .matchAll(
        /(?:window\.|var |let |const |^|;)\s*(_{0,2}[A-Za-z$][\w$.]{2,40})\s*=\s*(?:JSON\.parse\(|[{[]["\]{[\s\w])/g,
      )) {
      if (name !== undefined && !/^\d|\.$/.test(name) && finders.size < 30) {
        finders.add(`/${name.replaceAll(/[.$]/g, '\\$&')}\\s*=/`);
      }
    }
    if (finders.size >= 30) break;
  }
  return [...finders];
}

const LEAVES = new WeakMap<PageModel, DataLeaf[]>();

/** All values of the page's JSON-LD, microdata and embedded JSON. */
export function dataLeaves(model: PageModel): readonly DataLeaf[] {
  return once(LEAVES, model, () => readLeaves(model));
}

function readLeaves(model: PageModel): DataLeaf[] {
  const leaves: DataLeaf[] = [];
  entities('jsonld', jsonLdOf(model.state), leaves);
  entities('microdata', microdataOf(model.state), leaves);
  for (const script of scriptFinders(model)) {
    const [value] = readScript(model, script);
    if (value !== undefined && value !== null && typeof value === 'object') {
      collect(value, { kind: 'json', script, path: '$', type: undefined }, leaves);
    }
  }
  return leaves;
}

const FINDERS = new WeakMap<PageModel, Map<string, readonly Json[]>>();

function readScript(model: PageModel, script: string): readonly Json[] {
  const ofModel = once(FINDERS, model, () => new Map<string, readonly Json[]>());
  return once(ofModel, script, () =>
    scriptDataOf(model.state, compileScriptFinder(script)).values.map(
      (value) => resolveReferences(value) ?? value,
    ),
  );
}

/** RFC 9535 names: plain ones with a dot, others in brackets. */
export function jsonPathOf(path: readonly (string | number)[]): string {
  return path
    .map((part) =>
      typeof part === 'number'
        ? `[${part}]`
        : /^[A-Za-z_]\w*$/.test(part)
          ? `.${part}`
          : `['${part.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}']`,
    )
    .join('');
}

function scalarsIn(value: Json): string[] {
  if (value === null) return [];
  if (Array.isArray(value)) return value.flatMap(scalarsIn);
  return [typeof value === 'object' ? JSON.stringify(value) : String(value)];
}

const BASE: Readonly<Record<DataRoot['kind'], number>> = { jsonld: 0.9, microdata: 0.9, json: 0.72 };
const KIND_WORDS: Readonly<Record<DataRoot['kind'], string>> = {
  jsonld: 'JSON-LD',
  microdata: 'microdata',
  json: 'embedded JSON',
};

/** The source that reads the same path on any page. */
export function leafCandidate(leaf: DataLeaf, field: Words): Candidate {
  const { root, path } = leaf;
  const text = `${root.path}${jsonPathOf(path)}`;
  const source: Exclude<AnySource, string> =
    root.kind === 'json' ? { json: { script: root.script, path: text } } : { [root.kind]: text };
  const names = path.filter((part) => typeof part === 'string');
  const alike = likeness(field, wordsOf(names.slice(-2).join(' ')));
  const positions = path.filter((part) => typeof part === 'number' && part > 0).length;
  const odd = names.some((name) => nameQuality(name) < 0.3 || /^\d+$/.test(name));
  const base = BASE[root.kind] * (0.55 + 0.45 * Math.min(1, alike * 1.3));
  const prior = base * 0.75 ** positions * (odd ? 0.4 : 1) * (root.kind === 'json' ? 0.98 ** path.length : 1);
  const compiled = compileJsonPath(text);
  const family: Family = root.kind;
  const find: Candidate['find'] = (model, limit) => {
    const values =
      root.kind === 'jsonld'
        ? [jsonLdOf(model.state)]
        : root.kind === 'microdata'
          ? [microdataOf(model.state)]
          : readScript(model, root.script ?? '');
    for (const value of values) {
      const found = queryJson(compiled, value).flatMap(scalarsIn).slice(0, limit);
      if (found.length > 0) return found;
    }
    return [];
  };
  return candidate(
    source,
    family,
    prior,
    `${names.at(-1) ?? 'a value'} in the page’s ${KIND_WORDS[root.kind]}`,
    find,
  );
}

export interface MetaLeaf {
  readonly name: string;
  readonly content: string;
}

export function metaLeaves(model: PageModel): MetaLeaf[] {
  const found: MetaLeaf[] = [];
  const seen = new Set<string>();
  for (const element of elementsByTag(model.document, 'meta')) {
    const content = attributeOf(element, 'content');
    const name =
      attributeOf(element, 'property') ?? attributeOf(element, 'name') ?? attributeOf(element, 'itemprop');
    if (content === undefined || name === undefined || name.trim() === '' || seen.has(name)) continue;
    seen.add(name);
    found.push({ name: name.trim(), content });
  }
  return found;
}

export function metaCandidate({ name }: MetaLeaf, field: Words): Candidate {
  const alike = likeness(
    field,
    wordsOf(name.replace(/^(?:og|twitter|article|book|product|dc|dcterms)[:.]/i, '')),
  );
  const base = /^(?:og|product|book|article|twitter):/i.test(name)
    ? 0.8
    : /keywords|description/i.test(name)
      ? 0.45
      : 0.65;
  return candidate(
    { meta: name },
    'meta',
    base * (0.6 + 0.4 * Math.min(1, alike * 1.3)),
    `the meta tag ${quoted(name)}`,
    (model, limit) => metaOf(model.state, name).slice(0, limit),
  );
}
