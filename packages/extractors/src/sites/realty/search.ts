// Page: /homes/{query}_rb/, /{city-st}/, /{city-st}/rentals/, or the answer of async-create-search-page-state.
// Data: __NEXT_DATA__ → searchPageState; before 2023-10 the script mobileSearchPageStore; else the cards of the page.
// Seen: May 2020 to Apr 2026.
import {
  type JsonObject,
  arrayAt,
  asId,
  asNumber,
  at,
  filledAt,
  first,
  idAt,
  numberAt,
  objectAt,
  wholeAt,
} from '../read/value.ts';
import type { SiteResponses, SiteInput, SiteOutcome, SiteResponse } from '../types.ts';
import { firstReadable, ok } from '../outcome.ts';
import { absoluteUrl } from '../read/url.ts';
import { isObject } from '@gleaner/contracts/values';
import {
  findProperties,
  findSearch,
  PUBLIC_ORIGIN,
  readRoots,
  readWall,
  type SearchState,
} from './documents.ts';
import { bedsAt, lowest, positive, positiveAt, priceAt, readBeds, readPrice } from './numbers.ts';
import { listingOfProperty } from './property.ts';
import { titleOf } from '../read/html.ts';
import { all, attribute, lineOf, one, parsePage, type PageElement, type DomScope } from '../read/dom.ts';

const CARD = '[data-test="property-card"], [data-testid="property-card"], article.list-card';

/** The search cards of a page without data in its scripts. The server renders only about nine. */
function readCards({ body }: SiteResponse): JsonObject | undefined {
  if (!/property-card|list-card/.test(body)) return undefined;
  const page = parsePage(body);
  const cards = page ? all(page, CARD) : [];
  if (!page || cards.length === 0) return undefined;
  const nextUrl = absoluteUrl(
    attribute(one(page, 'a[rel="next"], a[title="Next page"]'), 'href') ??
      attribute(one(page, 'link[rel="next"]'), 'href'),
    PUBLIC_ORIGIN,
  );
  return {
    total_results: totalOf(page, body),
    listings: cards.map(readCard),
    pagination: { next_url: nextUrl, has_more: nextUrl !== null },
  };
}

const COUNT = /(?<![\d,])([\d,]+)\s+(?:results?|homes?|rentals?|agent listings|listings|apartments|houses)/i;

function totalOf(page: DomScope, body: string): number | null {
  const written = lineOf(one(page, '.result-count, [data-testid="result-count"]')) ?? titleOf(body);
  const found = COUNT.exec(written.slice(0, 400))?.[1];
  return found === undefined ? null : asNumber(found.replaceAll(',', ''));
}

function readCard(card: PageElement): JsonObject {
  const link = one(card, 'a[data-test*="property-card"][href], a[href*="_zpid"], a[href]');
  const address = lineOf(one(card, 'address'));
  const priceText = lineOf(one(card, '[data-test="property-card-price"], .list-card-price'));
  const facts = new Map(
    all(card, 'ul li').flatMap((item) => {
      const value = lineOf(one(item, 'b')) ?? lineOf(item);
      const unit = lineOf(one(item, 'abbr')) ?? lineOf(item) ?? '';
      return value === null ? [] : [[unitOf(unit), value] as const];
    }),
  );
  const place = /,([^,]+),\s*([A-Z]{2})(?:\s+(\d{5}))?$/.exec((address ?? '').trimEnd());
  const detailUrl = absoluteUrl(attribute(link, 'href'), PUBLIC_ORIGIN);
  return {
    zpid:
      /^zpid_(\d+)$/.exec(attribute(card, 'id') ?? '')?.[1] ??
      /(?<!\d)(\d+)_zpid/.exec(detailUrl ?? '')?.[1] ??
      null,
    address,
    city: place?.[1]?.trim() ?? null,
    state: place?.[2] ?? null,
    zipcode: place?.[3] ?? null,
    price: readPrice(priceText),
    bedrooms: readBeds((facts.get('beds') ?? '').replaceAll(',', '')),
    bathrooms: asNumber(facts.get('baths') ?? ''),
    living_area: asNumber((facts.get('area') ?? '').replaceAll(',', '')),
    home_type: null,
    listing_status: statusOf(lineOf(card) ?? '', priceText ?? ''),
    thumbnail: absoluteUrl(attribute(one(card, 'picture img, img'), 'src', 'data-src'), PUBLIC_ORIGIN),
    detail_url: detailUrl,
  };
}

function unitOf(unit: string): string {
  if (/\bbds?\b|bed|studio/i.test(unit)) return 'beds';
  if (/\bba\b|bath/i.test(unit)) return 'baths';
  return /sq\s?ft|square/i.test(unit) ? 'area' : unit;
}

function statusOf(text: string, price: string): string | null {
  if (/\/mo\b|for rent/i.test(`${price} ${text}`)) return 'FOR_RENT';
  if (/\bsold\b/i.test(text)) return 'RECENTLY_SOLD';
  if (/for sale|active/i.test(text)) return 'FOR_SALE';
  return /\bpending\b/i.test(text) ? 'PENDING' : null;
}

export function extractSearch(responses: SiteResponses, _input: SiteInput): SiteOutcome {
  return firstReadable(responses, (response) => {
    const roots = readRoots(response);
    const search = findSearch(roots);
    if (search) return ok(readState(search));
    const [property] = findProperties(roots);
    if (property) return ok(pageOf([listingOfProperty(property)], 1));
    const cards = readCards(response);
    return cards ? ok(cards) : readWall(response);
  });
}

function pageOf(listings: unknown[], total: number): JsonObject {
  return { total_results: total, listings, pagination: { next_url: null, has_more: false } };
}

function readState({ category, root }: SearchState): JsonObject {
  const results = objectAt(category, 'searchResults');
  const list = arrayAt(results, 'listResults');
  const rows = list.length > 0 ? list : arrayAt(results, 'mapResults');
  if (isNowhere(root)) return pageOf([], 0);
  const nextUrl = absoluteUrl(at(category, 'searchList.pagination.nextUrl'), PUBLIC_ORIGIN);
  const page = numberAt(root, 'queryState.pagination.currentPage') ?? 1;
  const pages = numberAt(category, 'searchList.totalPages');
  const isCall = at(category, 'searchList.pagination') === undefined;
  return {
    total_results:
      wholeAt(category, 'searchList.totalResultCount') ??
      wholeAt(root, 'categoryTotals.cat1.totalResultCount'),
    listings: rows.filter(isObject).map(readRow),
    pagination: {
      next_url: nextUrl,
      has_more: nextUrl !== null || (isCall && pages !== null && page < pages),
    },
  };
}

const COUNTRY_WIDE_DEGREES = 40;

/** For an unknown place, the site shows the map of the whole country and homes unrelated to the query. */
function isNowhere(root: JsonObject): boolean {
  const regions = at(root, 'queryState.regionSelection');
  const bounds = objectAt(root, 'queryState.mapBounds');
  const width = (numberAt(bounds, 'east') ?? 0) - (numberAt(bounds, 'west') ?? 0);
  return Array.isArray(regions) && regions.length === 0 && width > COUNTRY_WIDE_DEGREES;
}

function readRow(row: JsonObject): JsonObject {
  const home = objectAt(row, 'hdpData.homeInfo');
  const all = { row, home };
  const units = arrayAt(row, 'units');
  return {
    zpid: digits(row['zpid']) ?? digits(home?.['zpid']),
    address: readAddress(row, home),
    city: filledAt(all, 'row.addressCity', 'home.city'),
    state: filledAt(all, 'row.addressState', 'home.state'),
    zipcode: idAt(all, 'row.addressZipcode', 'home.zipcode'),
    price: first(
      positiveAt(all, 'row.unformattedPrice', 'home.price'),
      priceAt(row, 'price'),
      lowest(units.map((unit) => priceAt(unit, 'price'))),
    ),
    bedrooms:
      home?.['homeType'] === 'LOT'
        ? null
        : first(
            bedsAt(all, 'row.beds', 'home.bedrooms', 'row.minBeds'),
            lowest(units.map((unit) => bedsAt(unit, 'beds'))),
          ),
    bathrooms: knownOrZero(row['baths'], home?.['bathrooms'], row['minBaths']),
    living_area: knownOrZero(row['area'], home?.['livingArea'], row['minArea']),
    home_type: filledAt(all, 'home.homeType', 'row.homeType'),
    listing_status: filledAt(all, 'home.homeStatus', 'row.statusType', 'row.rawHomeStatusCd'),
    thumbnail: filledAt(all, 'row.imgSrc', 'row.carouselPhotos.0.url', 'home.hiResImageLink'),
    detail_url: absoluteUrl(row['detailUrl'], PUBLIC_ORIGIN),
  };
}

/** Rows have 0 for facts that a lot or an old listing lacks. The 0 is returned as on the page. */
function knownOrZero(...values: unknown[]): number | null {
  return first(...values.map(positive), ...values.map((value) => (asNumber(value) === 0 ? 0 : null)));
}

/** Only a number is a listing id; buildings have their coordinates there. */
function digits(value: unknown): string | null {
  const id = asId(value);
  return id !== null && /^\d+$/.test(id) ? id : null;
}

function readAddress(row: JsonObject, home: JsonObject | undefined): string | null {
  const written = filledAt(row, 'address');
  if (written !== null) return /^-+$/.test(written.trim()) || written.startsWith('--,') ? null : written;
  if (row['isUndisclosedAddress'] === true) return null;
  const street = filledAt(home, 'streetAddress');
  if (street === null) return null;
  const region = [filledAt(home, 'state'), idAt(home, 'zipcode')].filter(Boolean).join(' ');
  return [street, filledAt(home, 'city'), region].filter(Boolean).join(', ');
}
