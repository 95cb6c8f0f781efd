import {
  type JsonObject,
  filledAt,
  filledFrom,
  first,
  idAt,
  arrayAt,
  asFilled,
  asNumber,
  numberAt,
  asText,
  at,
  textAt,
} from '../read/value.ts';
import { absoluteUrl } from '../read/url.ts';
import { PUBLIC_ORIGIN } from './documents.ts';
import { areaAt, bedsAt, inSquareFeet, positiveAt, priceAt, readPrice } from './numbers.ts';
import { all, lineOf, type DomScope } from '../read/dom.ts';
import { isObject } from '@gleaner/contracts/values';

/** Several cache entries can describe one home. Missing fields of the best one are filled from the others. */
export function mergeProperties(
  properties: readonly JsonObject[],
  zpid: string | null,
): JsonObject | undefined {
  const same = properties.filter((property) => zpid === null || idAt(property, 'zpid') === zpid);
  const [best, ...others] = same.length > 0 ? same : properties;
  return best && filledFrom([best, ...others.filter((other) => idAt(other, 'zpid') === idAt(best, 'zpid'))]);
}

export function readPropertyAddress(property: JsonObject) {
  return {
    street: filledAt(property, 'address.streetAddress', 'streetAddress'),
    city: filledAt(property, 'address.city', 'city'),
    state: filledAt(property, 'address.state', 'state'),
    zipcode: idAt(property, 'address.zipcode', 'zipcode'),
  };
}

/** The facts that search and details share. */
export function readPropertyFacts(property: JsonObject) {
  const isLot = property['homeType'] === 'LOT';
  return {
    price: first(
      positiveAt(property, 'price'),
      priceAt(property, 'price'),
      positiveAt(property, 'listPriceLow'),
    ),
    bedrooms: isLot ? null : bedsAt(property, 'bedrooms', 'resoFacts.bedrooms'),
    bathrooms: positiveAt(property, 'bathrooms', 'resoFacts.bathroomsFloat', 'resoFacts.bathrooms'),
    living_area: first(
      positiveAt(property, 'livingAreaValue', 'livingArea'),
      areaAt(property, 'resoFacts.livingArea'),
      positiveAt(property, 'area'),
    ),
    home_type: filledAt(property, 'homeType', 'propertyTypeDimension', 'resoFacts.propertySubType.0'),
  };
}

export function readLotSize(property: JsonObject): number | null {
  const unit = filledAt(property, 'lotAreaUnits') ?? '';
  return first(
    positiveAt(property, 'lotSize'),
    areaAt(property, 'lotSize'),
    inSquareFeet(property['lotAreaValue'], unit),
    areaAt(property, 'resoFacts.lotSize'),
  );
}

/** A home as the only row of a search that redirected to it. */
export function listingOfProperty(property: JsonObject): JsonObject {
  const { street, city, state, zipcode } = readPropertyAddress(property);
  const region = [state, zipcode].filter(Boolean).join(' ');
  const zpid = idAt(property, 'zpid');
  return {
    zpid,
    address: street === null ? null : [street, city, region].filter(Boolean).join(', '),
    city,
    state,
    zipcode,
    ...readPropertyFacts(property),
    listing_status: filledAt(property, 'homeStatus'),
    thumbnail: filledAt(
      property,
      'hiResImageLink',
      'desktopWebHdpImageLink',
      'responsivePhotos.0.url',
      'responsivePhotos.0.mixedSources.jpeg.0.url',
    ),
    detail_url: first(
      absoluteUrl(property['hdpUrl'], PUBLIC_ORIGIN),
      zpid === null ? null : `${PUBLIC_ORIGIN}/homedetails/${zpid}_zpid/`,
    ),
  };
}

/** The day of a time in milliseconds, in UTC; null outside the calendar. */
function dayOf(timeMs: unknown): string | null {
  const ms = asNumber(timeMs);
  return ms !== null && Math.abs(ms) < 8e15 ? new Date(ms).toISOString().slice(0, 10) : null;
}

export function readPriceHistory(property: JsonObject) {
  return arrayAt(property, 'priceHistory')
    .filter(isObject)
    .map((row) => ({
      date: filledAt(row, 'date') ?? dayOf(row['time']),
      price: positiveAt(row, 'price'),
      event: filledAt(row, 'event'),
    }));
}

export function readTaxHistory(property: JsonObject) {
  return arrayAt(property, 'taxHistory')
    .filter(isObject)
    .map((row) => ({
      year: asNumber(dayOf(row['time'])?.slice(0, 4)) ?? numberAt(row, 'year'),
      tax: positiveAt(row, 'taxPaid'),
      assessment: positiveAt(row, 'value'),
    }));
}

/** The rows of the table whose header has all these words. */
function tableRows(page: DomScope, words: RegExp[]): string[][] {
  for (const table of all(page, 'table')) {
    const head = all(table, 'th')
      .map((cell) => lineOf(cell) ?? '')
      .join(' | ');
    if (!words.every((word) => word.test(head))) continue;
    return all(table, 'tbody tr').map((row) => all(row, 'th, td').map((cell) => lineOf(cell) ?? ''));
  }
  return [];
}

/** The rendered table under “Price history”: date, event, price. */
export function readPriceTable(page: DomScope) {
  return tableRows(page, [/date/i, /event/i, /price/i]).flatMap((cells) => {
    const found = /(\d{1,2})\/(\d{1,2})\/(\d{4})/.exec(cells[0] ?? '');
    if (!found) return [];
    const [, month = '', day = '', year = ''] = found;
    return [
      {
        date: `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`,
        price: readPrice(cells[2]),
        event: asFilled(cells[1]),
      },
    ];
  });
}

/** The rendered table under “Public tax history”: year, taxes, assessment. */
export function readTaxTable(page: DomScope) {
  return tableRows(page, [/year/i, /tax/i, /assess/i]).flatMap((cells) => {
    const year = /^\d{4}$/.exec(cells[0] ?? '')?.[0];
    return year === undefined
      ? []
      : [{ year: Number(year), tax: readPrice(cells[1]), assessment: readPrice(cells[2]) }];
  });
}

const PHOTO_LISTS =
  'originalPhotos responsivePhotos responsivePhotosOriginalRatio hugePhotos photos galleryPhotos'.split(' ');

/** The widest address of each photo, in page order. Only the home's own lists are read. */
export function readPhotos(property: JsonObject): string[] {
  for (const name of PHOTO_LISTS) {
    const photos = arrayAt(property, name).flatMap((photo) => widest(photo) ?? []);
    if (photos.length > 0) return [...new Set(photos)];
  }
  const single = filledAt(property, 'hiResImageLink', 'desktopWebHdpImageLink');
  return single === null ? [] : [single];
}

function widest(photo: unknown): string | null {
  for (const format of ['jpeg', 'webp']) {
    const sources = arrayAt(photo, `mixedSources.${format}`)
      .filter((source) => filledAt(source, 'url') !== null)
      .toSorted((a, b) => (numberAt(b, 'width') ?? 0) - (numberAt(a, 'width') ?? 0));
    if (sources.length > 0) return filledAt(sources[0], 'url');
  }
  return filledAt(photo, 'url');
}

const FACT_LISTS =
  `appliances interiorFeatures exteriorFeatures lotFeatures parkingFeatures heating cooling flooring fireplaceFeatures
  laundryFeatures patioAndPorchFeatures poolFeatures securityFeatures communityFeatures associationAmenities windowFeatures
  view utilities sewer waterSource constructionMaterials foundationDetails`.split(/\s+/);

/** The features in the data, without `None` and repetitions. */
export function readFeatures(property: JsonObject, fromPage: readonly string[]): string[] {
  const facts = property['resoFacts'];
  const listed = FACT_LISTS.flatMap((name) => arrayAt(facts, name).map(asText));
  const single = [textAt(facts, 'roofType'), textAt(facts, 'basement')];
  const glance = arrayAt(facts, 'atAGlanceFacts').map((fact) => {
    const value = filledAt(fact, 'factValue');
    return value === null ? null : `${textAt(fact, 'factLabel') ?? ''}: ${value}`;
  });
  const insights = arrayAt(property, 'homeInsights').flatMap((group) =>
    arrayAt(group, 'insights').flatMap((insight) => arrayAt(insight, 'phrases').map(asText)),
  );
  return distinct([...listed, ...single, ...glance, ...insights, ...fromPage]);
}

function distinct(values: readonly (string | null)[]): string[] {
  return [
    ...new Set(values.flatMap((value) => value?.trim() || []).filter((value) => !/^none$/i.test(value))),
  ];
}

/** The amenities of a rental building, from all groups. */
export function readAmenities(building: JsonObject): string[] {
  const groups = [building['amenityDetails'], at(building, 'buildingAttributes')].filter(isObject);
  return distinct(
    groups.flatMap((group) =>
      Object.values(group).flatMap((value) => (Array.isArray(value) ? value.map(asText) : [])),
    ),
  );
}
