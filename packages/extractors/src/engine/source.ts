import type { AnySource, FieldObject, PageFact } from '@gleaner/contracts';
import { FILE_FACTS } from '@gleaner/contracts/values';
import {
  COMMENT,
  ExpressionFault,
  compileSelector,
  isElement,
  isText,
  readPageText,
  selectElements,
  splitAttribute,
} from '@gleaner/html';
import { pageFact } from '../content/page-facts.ts';
import { compileJsonPath, queryJson, type CompiledJsonPath, type Json } from '../json/jsonpath.ts';
import { compileScriptFinder } from '../json/script-data.ts';
import { compileXPath, evaluateCompiled } from '../xpath/compile.ts';
import { isAttributeNode, isTreeNode } from '../xpath/facade.ts';
import {
  capturedJson,
  facadeOf,
  formsOf,
  factsOf,
  jsonLdOf,
  metaOf,
  microdataOf,
  pageJsonOf,
  scriptDataOf,
  type PageState,
} from './page-state.ts';
import { factLabel, type CompiledSource, type Match, type Scope } from './types.ts';

type Find = CompiledSource['find'];

export interface FoundSource {
  kind: CompiledSource['kind'];
  label: string;
  find: Find;
  findLists?: CompiledSource['findLists'];
  whyNothing?: CompiledSource['whyNothing'];
  /** The attribute of `sel@attr`. */
  attribute?: string | undefined;
}

const NOTHING: Match[] = [];

function jsonMatches(values: readonly Json[], limit: number): Match[] {
  return values.slice(0, limit).map((value) => ({ kind: 'json', value }));
}

/**
 * Finds values by a JSON path, and the lists of a path to their items.
 * @throws ExpressionFault
 */
function findByPath(
  text: string,
  findOf: (path: CompiledJsonPath) => Find,
): Pick<FoundSource, 'find' | 'findLists'> {
  const find = findOf(compileJsonPath(text));
  const list = /^(.+)\[\s*\*\s*\]\s*$/s.exec(text)?.[1];
  return list === undefined ? { find } : { find, findLists: findOf(compileJsonPath(list)) };
}

/** @throws ExpressionFault */
function compileCss(text: string): FoundSource {
  const { selector, attribute } = splitAttribute(text);
  const list = compileSelector(selector);
  const find: Find = ({ document }, scope, limit) =>
    scope.kind === 'json'
      ? NOTHING
      : selectElements(list, document, scope.element, limit).map((element) => ({ kind: 'element', element }));
  return { kind: 'css', label: text, find, attribute };
}

function toMatch(state: PageState, item: unknown): Match | undefined {
  if (typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean') {
    return { kind: 'text', value: item };
  }
  if (isAttributeNode(item)) return { kind: 'text', value: item.value, owner: item.ownerElement };
  if (item instanceof Date) return { kind: 'text', value: item.toISOString() };
  if (!isTreeNode(item)) return undefined;
  if (isElement(item)) return { kind: 'element', element: item };
  if (isText(item) || item.nodeType === COMMENT)
    return 'data' in item ? { kind: 'text', value: item.data } : undefined;
  return { kind: 'text', value: readPageText(state.document) };
}

/** @throws ExpressionFault */
function compileXPathSource(text: string): FoundSource {
  const xpath = compileXPath(text);
  const find: Find = (state, scope, limit) => {
    if (scope.kind === 'json') return NOTHING;
    const items = evaluateCompiled(xpath, scope.element ?? state.document.root, facadeOf(state));
    const matches: Match[] = [];
    for (const item of items) {
      const match = toMatch(state, item);
      if (match !== undefined) matches.push(match);
      if (matches.length >= limit) break;
    }
    return matches;
  };
  return { kind: 'xpath', label: text, find };
}

function compileEntities(
  kind: 'jsonld' | 'microdata',
  text: string,
  entitiesOf: (state: PageState) => Json[],
): FoundSource {
  const found = findByPath(
    text,
    (path) => (state, scope, limit) =>
      jsonMatches(queryJson(path, scope.kind === 'json' ? scope.value : entitiesOf(state)), limit),
  );
  return { kind, label: text, ...found };
}

/** Runs a compile step and adds the faulty part of the source to its fault. */
function within<T>(part: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof ExpressionFault ? new ExpressionFault(error.message, error.column, [part]) : error;
  }
}

/** Unless `take` is `all`, only the first value with the path is read. */
function matchesIn(
  state: PageState,
  values: readonly (Json | undefined)[],
  path: CompiledJsonPath,
  limit: number,
): Match[] {
  const found: Match[] = [];
  for (const value of values) {
    if (value === undefined) continue;
    for (const form of formsOf(state, value)) {
      const matches = jsonMatches(queryJson(path, form), limit - found.length);
      found.push(...matches);
      if (matches.length > 0) break;
    }
    if (found.length >= limit) break;
  }
  return found;
}

function compileJson({ script, path: text }: NonNullable<FieldObject['json']>): FoundSource {
  const foundBy = (findOf: (path: CompiledJsonPath) => Find): ReturnType<typeof findByPath> =>
    within('path', () => findByPath(text, findOf));
  const label = script === undefined ? text : `${script} ${text}`;
  if (script === undefined) {
    const found = foundBy(
      (path) => (state, scope, limit) =>
        matchesIn(state, [scope.kind === 'json' ? scope.value : pageJsonOf(state)], path, limit),
    );
    const whyNothing = (state: PageState): string | undefined =>
      pageJsonOf(state) === undefined ? 'the page is not JSON: script finds data inside it' : undefined;
    return { kind: 'json', label, ...found, whyNothing };
  }
  const finder = within('script', () => compileScriptFinder(script));
  const found = foundBy(
    (path) => (state, _scope, limit) => matchesIn(state, scriptDataOf(state, finder).values, path, limit),
  );
  const whyNothing = (state: PageState): string | undefined =>
    scriptDataOf(state, finder).unreadable > 0
      ? 'the script’s value can’t be read: it is not plain data'
      : undefined;
  return { kind: 'json', label, ...found, whyNothing };
}

function compileXhr({ url, path: text }: NonNullable<FieldObject['xhr']>): FoundSource {
  const found = within('path', () =>
    findByPath(
      text,
      (path) => (state, _scope, limit) => matchesIn(state, capturedJson(state, url), path, limit),
    ),
  );
  const whyNothing = (state: PageState): string | undefined => {
    const captured = capturedJson(state, url);
    if (captured.length === 0) {
      return state.page.captures === undefined
        ? 'the page was not loaded in a browser, so there are no responses to read'
        : `no response that the page loaded matches the address ${url}`;
    }
    return captured.every((value) => value === undefined) ? 'the response is not JSON' : undefined;
  };
  return { kind: 'xhr', label: `${url} ${text}`, ...found, whyNothing };
}

function compilePage(fact: PageFact): FoundSource {
  const find: Find = (state, _scope, limit) =>
    pageFact(fact, factsOf(state))
      .slice(0, limit)
      .map((value) => ({ kind: 'text', value, isPlain: fact !== 'html' }));
  const isFile = FILE_FACTS.some((file) => file === fact);
  const whyNothing = isFile ? (): string => 'the page was not loaded in a browser' : undefined;
  return { kind: 'page', label: factLabel(fact), find, ...(whyNothing === undefined ? {} : { whyNothing }) };
}

export type SourceObject = Exclude<AnySource, string>;

interface SourcePart {
  /** `[key, index]` in the source. */
  path: (string | number)[];
  /** @throws ExpressionFault */
  compile: () => FoundSource;
}

/** One of the values that a source lists, or its only one. */
function listed(
  key: 'css' | 'xpath',
  value: string | readonly string[] | undefined,
  compile: (text: string) => FoundSource,
): SourcePart[] {
  if (value === undefined) return [];
  if (typeof value === 'string') return [{ path: [key], compile: () => compile(value) }];
  return value.map((text, index) => ({ path: [key, index], compile: () => compile(text) }));
}

function part<T>(key: string, value: T | undefined, compile: (value: T) => FoundSource): SourcePart[] {
  return value === undefined ? [] : [{ path: [key], compile: () => compile(value) }];
}

function compileMeta(name: string): FoundSource {
  const find: Find = (state, _scope, limit) =>
    metaOf(state, name)
      .slice(0, limit)
      .map((value) => ({ kind: 'text', value }));
  return { kind: 'meta', label: `meta ${name}`, find };
}

function compileConst(value: NonNullable<FieldObject['const']>): FoundSource {
  const match: Match = { kind: 'text', value };
  return { kind: 'const', label: 'const', find: () => [match] };
}

/** The selectors of one source, each to be compiled. */
export function sourceParts(source: SourceObject | FieldObject): SourcePart[] {
  return [
    ...listed('css', source.css, compileCss),
    ...listed('xpath', source.xpath, compileXPathSource),
    ...part('jsonld', source.jsonld, (text) => compileEntities('jsonld', text, jsonLdOf)),
    ...part('microdata', source.microdata, (text) => compileEntities('microdata', text, microdataOf)),
    ...part('json', source.json, compileJson),
    ...part('xhr', source.xhr, compileXhr),
    ...part('meta', source.meta, compileMeta),
    ...part('const', source.const, compileConst),
    ...part('page', source.page, compilePage),
  ];
}

export function scopeOf(match: Match): Scope | undefined {
  return match.kind === 'element'
    ? { kind: 'element', element: match.element }
    : match.kind === 'json'
      ? { kind: 'json', value: match.value }
      : undefined;
}
