import { absoluteUrl } from '../read/url.ts';
import { filledAt, first, idAt, objectAt, type JsonObject } from '../read/value.ts';
import { PUBLIC_ORIGIN } from './documents.ts';
import { areaAt, bedsAt, inSquareFeet, positiveAt, positiveWholeAt, priceAt } from './numbers.ts';

/** Several cache entries can describe one home. Missing fields of the best one are filled from the others. */
export function mergeProperties(
  properties: readonly JsonObject[],
  zpid: string | null,
): JsonObject | undefined {
  const same = properties.filter((property) => zpid === null || idAt(property, 'zpid') === zpid);
  const [best, ...others] = same.length > 0 ? same : properties;
  if (!best) return undefined;
  const merged: JsonObject = { ...best };
  for (const other of others) {
    if (idAt(other, 'zpid') !== idAt(best, 'zpid')) continue;
    for (const [key, value] of Object.entries(other)) merged[key] ??= value;
  }
  return merged;
}

export function readPropertyAddress(property: JsonObject): Record<string, string | null> {
  const address = objectAt(property, 'address');
  return {
    street: first(filledAt(address, 'streetAddress'), filledAt(property, 'streetAddress')),
    city: first(filledAt(address, 'city'), filledAt(property, 'city')),
    state: first(filledAt(address, 'state'), filledAt(property, 'state')),
    zipcode: first(idAt(address, 'zipcode'), idAt(property, 'zipcode')),
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
  const bedrooms = first(bedsAt(property, 'bedrooms'), bedsAt(facts, 'bedrooms'));
  return {
    price: first(
      positiveAt(property, 'price'),
      priceAt(property, 'price'),
      positiveAt(property, 'listPriceLow'),
    ),
    bedrooms: isLot(property) ? null : bedrooms,
    bathrooms: first(positiveAt(property, 'bathrooms'), positiveAt(facts, 'bathroomsFloat', 'bathrooms')),
    living_area: first(
      positiveAt(property, 'livingAreaValue', 'livingArea'),
      areaAt(facts, 'livingArea'),
      positiveAt(property, 'area'),
    ),
    home_type: first(
      filledAt(property, 'homeType', 'propertyTypeDimension'),
      filledAt(facts, 'propertySubType.0'),
    ),
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

export function readYearBuilt(property: JsonObject): number | null {
  return positiveWholeAt(property, 'yearBuilt', 'resoFacts.yearBuilt');
}

/** A home as the only row of a search that redirected to it. */
export function listingOfProperty(property: JsonObject): Record<string, unknown> {
  const { street, city, state, zipcode } = readPropertyAddress(property);
  const region = [state, zipcode].filter(Boolean).join(' ');
  const zpid = idAt(property, 'zpid');
  return {
    zpid,
    address: street === null ? null : [street, city, region].filter(Boolean).join(', '),
    city: city ?? null,
    state: state ?? null,
    zipcode: zipcode ?? null,
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
