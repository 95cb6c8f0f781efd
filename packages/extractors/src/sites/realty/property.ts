import { absoluteUrl } from '../read/url.ts';
import { asFilled, asId, at, first, objectAt, type JsonObject } from '../read/value.ts';
import { PUBLIC_ORIGIN } from './documents.ts';
import { inSquareFeet, positive, positiveWhole, readArea, readBeds, readPrice } from './numbers.ts';

/** Several cache entries can describe one home. Missing fields of the best one are filled from the others. */
export function mergeProperties(
  properties: readonly JsonObject[],
  zpid: string | null,
): JsonObject | undefined {
  const same = properties.filter((property) => zpid === null || asId(property['zpid']) === zpid);
  const [best, ...others] = same.length > 0 ? same : properties;
  if (!best) return undefined;
  const merged: JsonObject = { ...best };
  for (const other of others) {
    if (asId(other['zpid']) !== asId(best['zpid'])) continue;
    for (const [key, value] of Object.entries(other)) merged[key] ??= value;
  }
  return merged;
}

export function readPropertyAddress(property: JsonObject): Record<string, string | null> {
  const address = objectAt(property, 'address');
  return {
    street: first(asFilled(address?.['streetAddress']), asFilled(property['streetAddress'])),
    city: first(asFilled(address?.['city']), asFilled(property['city'])),
    state: first(asFilled(address?.['state']), asFilled(property['state'])),
    zipcode: first(asId(address?.['zipcode']), asId(property['zipcode'])),
  };
}

function isLot(property: JsonObject): boolean {
  return property['homeType'] === 'LOT';
}

/** The facts that search and details share. */
export function readPropertyFacts(property: JsonObject): {
  price: number | null;
  bedrooms: number | null;
  bathrooms: number | null;
  living_area: number | null;
  home_type: string | null;
} {
  const facts = objectAt(property, 'resoFacts');
  const bedrooms = first(readBeds(property['bedrooms']), readBeds(facts?.['bedrooms']));
  return {
    price: first(
      positive(property['price']),
      readPrice(property['price']),
      positive(property['listPriceLow']),
    ),
    bedrooms: isLot(property) ? null : bedrooms,
    bathrooms: first(
      positive(property['bathrooms']),
      positive(facts?.['bathroomsFloat']),
      positive(facts?.['bathrooms']),
    ),
    living_area: first(
      positive(property['livingAreaValue']),
      positive(property['livingArea']),
      readArea(facts?.['livingArea']),
      positive(property['area']),
    ),
    home_type: first(
      asFilled(property['homeType']),
      asFilled(property['propertyTypeDimension']),
      asFilled(at(facts, 'propertySubType', 0)),
    ),
  };
}

export function readLotSize(property: JsonObject): number | null {
  const unit = asFilled(property['lotAreaUnits']) ?? '';
  return first(
    positive(property['lotSize']),
    readArea(property['lotSize']),
    inSquareFeet(property['lotAreaValue'], unit),
    readArea(at(property, 'resoFacts', 'lotSize')),
  );
}

export function readYearBuilt(property: JsonObject): number | null {
  return first(positiveWhole(property['yearBuilt']), positiveWhole(at(property, 'resoFacts', 'yearBuilt')));
}

/** A home as the only row of a search that redirected to it. */
export function listingOfProperty(property: JsonObject): Record<string, unknown> {
  const { street, city, state, zipcode } = readPropertyAddress(property);
  const region = [state, zipcode].filter(Boolean).join(' ');
  const zpid = asId(property['zpid']);
  return {
    zpid,
    address: street === null ? null : [street, city, region].filter(Boolean).join(', '),
    city: city ?? null,
    state: state ?? null,
    zipcode: zipcode ?? null,
    ...readPropertyFacts(property),
    listing_status: asFilled(property['homeStatus']),
    thumbnail: first(
      asFilled(property['hiResImageLink']),
      asFilled(property['desktopWebHdpImageLink']),
      asFilled(at(property, 'responsivePhotos', 0, 'url')),
      asFilled(at(property, 'responsivePhotos', 0, 'mixedSources', 'jpeg', 0, 'url')),
    ),
    detail_url: first(
      absoluteUrl(property['hdpUrl'], PUBLIC_ORIGIN),
      zpid === null ? null : `${PUBLIC_ORIGIN}/homedetails/${zpid}_zpid/`,
    ),
  };
}
