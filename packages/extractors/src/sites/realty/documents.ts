import { failed, isServerFault, serverFault } from '../outcome.ts';
import { titleOf, jsonScripts, scriptById } from '../read/html.ts';
import { isJson, parseJson } from '../read/json.ts';
import { isObject } from '@gleaner/contracts/values';
import { at, idAt, objectAt, type JsonObject, objectsOf } from '../read/value.ts';
import type { SiteOutcome, SiteResponse } from '../types.ts';

export const PUBLIC_ORIGIN = 'https://www.zillow.com';

/** All JSON data of a response. */
export function readRoots({ body }: SiteResponse): unknown[] {
  if (isJson(body)) {
    const root = parseJson(body);
    return root === undefined ? [] : [root];
  }
  return [
    scriptById(body, '__NEXT_DATA__'),
    scriptById(body, 'hdpApolloPreloadedData'),
    ...jsonScripts(body, 'data-zrr-shared-data-key'),
  ].filter((root) => root !== undefined);
}

export interface SearchState {
  /** Contains `searchResults` and `searchList`. */
  category: JsonObject;
  root: JsonObject;
}

/** The search results of a page, of the older comment script or of the search call. */
export function findSearch(roots: readonly unknown[]): SearchState | undefined {
  for (const root of roots) {
    for (const node of objectsOf(root)) {
      const results = node['searchResults'];
      const isSearch =
        isObject(results) && (Array.isArray(results['listResults']) || Array.isArray(results['mapResults']));
      if (isSearch)
        return {
          category: node,
          root: objectAt(root, 'props.pageProps.searchPageState') ?? (isObject(root) ? root : node),
        };
    }
    const rows = bareRows(root);
    if (rows) return { category: { searchResults: { listResults: rows } }, root: {} };
  }
  return undefined;
}

/** A recording of a list of rows. */
function bareRows(root: unknown): unknown[] | undefined {
  if (!Array.isArray(root) || root.length === 0) return undefined;
  const isRow = (row: unknown): boolean =>
    isObject(row) && 'detailUrl' in row && ('zpid' in row || 'buildingId' in row);
  return root.every(isRow) ? root : undefined;
}

const CACHES = ['gdpClientCache', 'apiCache'];

/** Property objects of a detail page: every cache entry that has one, the most complete first. */
export function findProperties(roots: readonly unknown[]): JsonObject[] {
  const found: JsonObject[] = [];
  for (const root of roots) {
    for (const node of objectsOf(root)) {
      for (const name of CACHES) found.push(...cachedProperties(node[name]));
    }
    if (isObject(root)) found.push(...bareProperties(root));
  }
  return found.filter(isHome).toSorted((a, b) => Object.keys(b).length - Object.keys(a).length);
}

/** An object without an id of a home has an unknown layout. */
function isHome(property: JsonObject): boolean {
  return (
    idAt(property, 'zpid') !== null &&
    ['address', 'streetAddress', 'homeType', 'price', 'bedrooms'].some(
      (key) => (property[key] ?? null) !== null,
    )
  );
}

function cachedProperties(cache: unknown): JsonObject[] {
  const entries = typeof cache === 'string' ? parseJson(cache) : cache;
  if (!isObject(entries)) return [];
  return Object.entries(entries).flatMap(([key, value]) => {
    const property = at(value, 'property');
    if (isObject(property)) return [property];
    return key.startsWith('Property:') && isObject(value) ? [value] : [];
  });
}

/** `{data: {property}}` and the property itself. */
function bareProperties(root: JsonObject): JsonObject[] {
  const property = objectAt(root, 'data.property') ?? objectAt(root, 'property') ?? root;
  const isProperty =
    'zpid' in property && ('homeType' in property || 'streetAddress' in property || 'resoFacts' in property);
  return isProperty ? [property] : [];
}

/** A rental building or community. */
export function findBuilding(roots: readonly unknown[]): JsonObject | undefined {
  for (const root of roots) {
    for (const node of objectsOf(root)) {
      const isBuilding =
        (Array.isArray(node['floorPlans']) || Array.isArray(node['ungroupedUnits'])) &&
        ('buildingName' in node || 'lotId' in node || 'fullAddress' in node);
      if (isBuilding) return node;
      const cache = node['gdpClientCache'];
      if (typeof cache !== 'string' || !cache.includes('floorPlans')) continue;
      const cached = findBuilding([parseJson(cache)]);
      if (cached) return cached;
    }
  }
  return undefined;
}

/** The listing in the page's JSON-LD. */
export function findListingLd({ body }: SiteResponse): JsonObject | undefined {
  if (!body.includes('RealEstateListing')) return undefined;
  for (const value of jsonScripts(body, 'type', 'application/ld+json')) {
    for (const node of objectsOf(value)) {
      const type = node['@type'];
      const types = Array.isArray(type) ? type : [type];
      if (types.includes('RealEstateListing')) return node;
    }
  }
  return undefined;
}

/** Classifies a page without data. */
export function readWall(response: SiteResponse): SiteOutcome {
  const { body, status } = response;
  const address = response.finalUrl ?? response.url;
  const title = titleOf(body);
  const head = body.slice(0, 80_000);
  if (/access to this page has been denied/i.test(title) || /px-captcha/.test(head)) {
    return failed('blocked', `HUMAN/PerimeterX block page, title “${title}”`);
  }
  if (/press (?:&amp;|&|and) hold/i.test(head)) return failed('blocked', 'press-and-hold challenge');
  if (body.length < 80_000 && /captcha-delivery/.test(body))
    return failed('blocked', 'captcha-delivery challenge');
  if (/\/user\/login|[?&]login=true/.test(address))
    return failed('blocked', `redirected to the login page: ${address}`);
  if (status === 429) return failed('rate_limited', 'status 429');
  if (status === 403) return failed('blocked', 'status 403');
  if (status === 404 || status === 410) return failed('not_found', `status ${status}`);
  if (isServerFault(status)) return serverFault(status);
  if (/page not found|404/i.test(title)) return failed('not_found', `title “${title}”`);
  return failed('unrecognised', `no listing data, status ${status}, title “${title}”`);
}
