// Page: /homes/{query}_rb/, /{city-st}/, /{city-st}/rentals/, or the answer of async-create-search-page-state.
// Data: __NEXT_DATA__ → searchPageState; before 2023-10 the script mobileSearchPageStore; else the cards of the page.
// Seen: May 2020 to Apr 2026.
import { ok, worst } from '../outcome.ts';
import { absoluteUrl } from '../read/url.ts';
import {
  arrayAt,
  asFilled,
  asId,
  asNumber,
  at,
  first,
  isObject,
  objectAt,
  type JsonObject,
} from '../read/value.ts';
import type { SiteInput, SiteOutcome, SiteResponse } from '../types.ts';
import { readCards } from './cards.ts';
import {
  findProperties,
  findSearch,
  PUBLIC_ORIGIN,
  readRoots,
  readWall,
  type SearchState,
} from './documents.ts';
import { lowest, positive, readBeds, readPrice } from './numbers.ts';
import { listingOfProperty } from './property.ts';

export function extractSearch(responses: readonly SiteResponse[], _input: SiteInput): SiteOutcome {
  const failures: SiteOutcome[] = [];
  for (const response of responses) {
    const roots = readRoots(response);
    const search = findSearch(roots);
    if (search) return ok(readState(search));
    const [property] = findProperties(roots);
    if (property) return ok(singleHome(property));
    const cards = readCards(response);
    if (cards) return ok(cards);
    failures.push(readWall(response));
  }
  return worst(failures);
}

function singleHome(property: JsonObject): Record<string, unknown> {
  return {
    total_results: 1,
    listings: [listingOfProperty(property)],
    pagination: { next_url: null, has_more: false },
  };
}

function readState({ category, root }: SearchState): Record<string, unknown> {
  const results = objectAt(category, 'searchResults');
  const list = arrayAt(results, 'listResults');
  const rows = list.length > 0 ? list : arrayAt(results, 'mapResults');
  const total = first(
    asNumber(at(category, 'searchList', 'totalResultCount')),
    asNumber(at(root, 'categoryTotals', 'cat1', 'totalResultCount')),
  );
  if (isNowhere(root))
    return { total_results: 0, listings: [], pagination: { next_url: null, has_more: false } };
  const nextUrl = absoluteUrl(at(category, 'searchList', 'pagination', 'nextUrl'), PUBLIC_ORIGIN);
  const page = asNumber(at(root, 'queryState', 'pagination', 'currentPage')) ?? 1;
  const pages = asNumber(at(category, 'searchList', 'totalPages'));
  const isCall = at(category, 'searchList', 'pagination') === undefined;
  return {
    total_results: total !== null && Number.isSafeInteger(total) ? total : null,
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
  const regions = at(root, 'queryState', 'regionSelection');
  const bounds = objectAt(root, 'queryState', 'mapBounds');
  const width = (asNumber(bounds?.['east']) ?? 0) - (asNumber(bounds?.['west']) ?? 0);
  return Array.isArray(regions) && regions.length === 0 && width > COUNTRY_WIDE_DEGREES;
}

function readRow(row: JsonObject): Record<string, unknown> {
  const home = objectAt(row, 'hdpData', 'homeInfo');
  const units = arrayAt(row, 'units');
  const isLot = home?.['homeType'] === 'LOT';
  return {
    zpid: digits(row['zpid']) ?? digits(home?.['zpid']),
    address: readAddress(row, home),
    city: first(asFilled(row['addressCity']), asFilled(home?.['city'])),
    state: first(asFilled(row['addressState']), asFilled(home?.['state'])),
    zipcode: first(asId(row['addressZipcode']), asId(home?.['zipcode'])),
    price: first(
      positive(row['unformattedPrice']),
      positive(home?.['price']),
      readPrice(row['price']),
      lowest(units.map((unit) => readPrice(at(unit, 'price')))),
    ),
    bedrooms: isLot
      ? null
      : first(
          readBeds(row['beds']),
          readBeds(home?.['bedrooms']),
          readBeds(row['minBeds']),
          lowest(units.map((unit) => readBeds(at(unit, 'beds')))),
        ),
    bathrooms: knownOrZero(row['baths'], home?.['bathrooms'], row['minBaths']),
    living_area: knownOrZero(row['area'], home?.['livingArea'], row['minArea']),
    home_type: first(asFilled(home?.['homeType']), asFilled(row['homeType'])),
    listing_status: first(
      asFilled(home?.['homeStatus']),
      asFilled(row['statusType']),
      asFilled(row['rawHomeStatusCd']),
    ),
    thumbnail: first(
      asFilled(row['imgSrc']),
      asFilled(at(row, 'carouselPhotos', 0, 'url')),
      asFilled(home?.['hiResImageLink']),
    ),
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
  const written = asFilled(row['address']);
  if (written !== null) return /^-+$/.test(written.trim()) || written.startsWith('--,') ? null : written;
  if (row['isUndisclosedAddress'] === true) return null;
  const street = asFilled(home?.['streetAddress']);
  if (street === null) return null;
  const region = [asFilled(home?.['state']), asId(home?.['zipcode'])].filter(Boolean).join(' ');
  return [street, asFilled(home?.['city']), region].filter(Boolean).join(', ');
}
