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
import { compileJsonPath, queryJson, type Json } from '../json/jsonpath.ts';
import { compileScriptFinder } from '../json/script-data.ts';
import { compileXPath, evaluateCompiled } from '../xpath/compile.ts';
import { isAttributeNode, isTreeNode } from '../xpath/facade.ts';
import {
  facadeOf,
  factsOf,
  jsonLdOf,
  metaOf,
  microdataOf,
  scriptDataOf,
  type PageState,
} from './page-state.ts';
import { capturedJson } from './captures.ts';
import type { CompiledSource, Match, Scope } from './types.ts';

type Find = CompiledSource['find'];

export interface FoundSource {
  kind: CompiledSource['kind'];
  label: string;
  find: Find;
  whyNothing?: CompiledSource['whyNothing'];
  /** The attribute of `sel@attr`. */
  attribute?: string | undefined;
}

const NOTHING: Match[] = [];

function jsonMatches(values: readonly Json[], limit: number): Match[] {
  return values.slice(0, limit).map((value) => ({ kind: 'json', value }));
}

/** @throws ExpressionFault */
export function compileCss(text: string): FoundSource {
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
  if (isAttributeNode(item)) return { kind: 'text', value: item.value };
  if (item instanceof Date) return { kind: 'text', value: item.toISOString() };
  if (!isTreeNode(item)) return undefined;
  if (isElement(item)) return { kind: 'element', element: item };
  if (isText(item) || item.nodeType === COMMENT)
    return 'data' in item ? { kind: 'text', value: item.data } : undefined;
  return { kind: 'text', value: readPageText(state.document) };
}

/** @throws ExpressionFault */
export function compileXPathSource(text: string): FoundSource {
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
  const path = compileJsonPath(text);
  const find: Find = (state, scope, limit) =>
    jsonMatches(queryJson(path, scope.kind === 'json' ? scope.value : entitiesOf(state)), limit);
  return { kind, label: text, find };
}

/** Runs a compile step and adds the faulty part of the source to its fault. */
function within<T>(part: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof ExpressionFault ? new ExpressionFault(error.message, error.column, [part]) : error;
  }
}

function compileJson({ script, path: text }: NonNullable<FieldObject['json']>): FoundSource {
  const path = within('path', () => compileJsonPath(text));
  const label = script === undefined ? text : `${script} ${text}`;
  if (script === undefined) {
    const find: Find = (_state, scope, limit) =>
      scope.kind === 'json' ? jsonMatches(queryJson(path, scope.value), limit) : NOTHING;
    return { kind: 'json', label, find };
  }
  const finder = within('script', () => compileScriptFinder(script));
  const find: Find = (state, _scope, limit) => {
    const found: Match[] = [];
    for (const value of scriptDataOf(state, finder).values) {
      found.push(...jsonMatches(queryJson(path, value), limit - found.length));
      // Unless `take` is `all`, only the first script with the path is read.
      if (found.length >= limit) break;
    }
    return found;
  };
  const whyNothing = (state: PageState): string | undefined =>
    scriptDataOf(state, finder).unreadable > 0
      ? 'the script’s value can’t be read: it is not plain data'
      : undefined;
  return { kind: 'json', label, find, whyNothing };
}

function compileXhr({ url, path: text }: NonNullable<FieldObject['xhr']>): FoundSource {
  const path = within('path', () => compileJsonPath(text));
  const find: Find = (state, _scope, limit) => {
    const found: Match[] = [];
    for (const { value } of capturedJson(state, url)) {
      if (value !== undefined) found.push(...jsonMatches(queryJson(path, value), limit - found.length));
      if (found.length >= limit) break;
    }
    return found;
  };
  const whyNothing = (state: PageState): string | undefined => {
    const captured = capturedJson(state, url);
    if (captured.length === 0) {
      return state.page.captures === undefined
        ? 'the page was not loaded in a browser, so there are no responses to read'
        : `no response that the page loaded matches the address ${url}`;
    }
    return captured.every(({ value }) => value === undefined) ? 'the response is not JSON' : undefined;
  };
  return { kind: 'xhr', label: `${url} ${text}`, find, whyNothing };
}

function compilePage(fact: PageFact): FoundSource {
  const find: Find = (state, _scope, limit) =>
    pageFact(fact, factsOf(state))
      .slice(0, limit)
      .map((value) => ({ kind: 'text', value, isPlain: fact !== 'html' }));
  const isFile = FILE_FACTS.some((file) => file === fact);
  const whyNothing = isFile ? (): string => 'the page was not loaded in a browser' : undefined;
  return { kind: 'page', label: `page ${fact}`, find, ...(whyNothing === undefined ? {} : { whyNothing }) };
}

export type SourceObject = Exclude<AnySource, string>;

/** `[key, index]` of each selector of one source, and a function that compiles it or throws an ExpressionFault. */
export function sourceParts(
  source: SourceObject | FieldObject,
): { path: (string | number)[]; compile: () => FoundSource }[] {
  const listed = (
    key: 'css' | 'xpath',
    compile: (text: string) => FoundSource,
  ): { path: (string | number)[]; compile: () => FoundSource }[] => {
    const value = source[key];
    if (value === undefined) return [];
    if (typeof value === 'string') return [{ path: [key], compile: () => compile(value) }];
    return value.map((text, index) => ({ path: [key, index], compile: () => compile(text) }));
  };
  const parts = [...listed('css', compileCss), ...listed('xpath', compileXPathSource)];
  const { jsonld, microdata, json, xhr, meta, page } = source;
  if (jsonld !== undefined) {
    parts.push({
      path: ['jsonld'],
      compile: () => compileEntities('jsonld', jsonld, (state) => jsonLdOf(state).entities),
    });
  }
  if (microdata !== undefined) {
    parts.push({ path: ['microdata'], compile: () => compileEntities('microdata', microdata, microdataOf) });
  }
  if (json !== undefined) parts.push({ path: ['json'], compile: () => compileJson(json) });
  if (xhr !== undefined) parts.push({ path: ['xhr'], compile: () => compileXhr(xhr) });
  if (meta !== undefined) {
    const find: Find = (state, _scope, limit) =>
      metaOf(state, meta)
        .slice(0, limit)
        .map((value) => ({ kind: 'text', value }));
    parts.push({ path: ['meta'], compile: () => ({ kind: 'meta', label: `meta ${meta}`, find }) });
  }
  const constant = source.const;
  if (constant !== undefined) {
    const match: Match = { kind: 'text', value: constant };
    parts.push({ path: ['const'], compile: () => ({ kind: 'const', label: 'const', find: () => [match] }) });
  }
  if (page !== undefined) parts.push({ path: ['page'], compile: () => compilePage(page) });
  return parts;
}

export function scopeOf(match: Match): Scope | undefined {
  return match.kind === 'element'
    ? { kind: 'element', element: match.element }
    : match.kind === 'json'
      ? { kind: 'json', value: match.value }
      : undefined;
}
