// Page: /homedetails/{anything}/{zpid}_zpid/, /apartments/…, /b/….
// Data: __NEXT_DATA__ → gdpClientCache (JSON in a string) → the entry with a property; before 2023-06 hdpApolloPreloadedData;
// rental buildings in initialReduxState.gdp.building; facts of the page where the JSON has none. Seen: May 2023 to mid 2026.
import { type JsonObject, arrayAt, at, filledAt, first, idAt, objectAt, textAt } from '../read/value.ts';
import type { SiteResponses, SiteInput, SiteOutcome, SiteResponse } from '../types.ts';
import { failed, firstReadable, ok } from '../outcome.ts';
import { all, lineOf, parsePage } from '../read/dom.ts';
import { isMarkup } from '../read/html.ts';
import { findBuilding, findListingLd, findProperties, findSearch, readRoots, readWall } from './documents.ts';
import {
  readPriceHistory,
  readPriceTable,
  readTaxHistory,
  readTaxTable,
  readAmenities,
  readFeatures,
  readPhotos,
  mergeProperties,
  readLotSize,
  readPropertyAddress,
  readPropertyFacts,
} from './property.ts';
import { bedsAt, lowest, positiveAt, positiveWholeAt, priceAt, shared } from './numbers.ts';

const ZPID = /(?<!\d)(\d+)_zpid/;

export function extractDetails(responses: SiteResponses, input: SiteInput): SiteOutcome {
  return firstReadable(responses, (response) => {
    const roots = readRoots(response);
    const zpid = ZPID.exec(filledAt(input, 'url') ?? response.finalUrl ?? response.url)?.[1] ?? null;
    const property = mergeProperties(findProperties(roots), zpid);
    if (property) return ok(homeOf(property, response, zpid));
    const building = findBuilding(roots);
    if (building) return ok(buildingOf(building));
    const listing = findListingLd(response);
    if (listing) return ok(homeOf(propertyOfLd(listing, zpid), response, zpid));
    return findSearch(roots)
      ? failed('not_found', 'a search page was served instead of the listing')
      : readWall(response);
  });
}

function homeOf(property: JsonObject, response: SiteResponse, zpid: string | null): JsonObject {
  const page = readRendered(response);
  return {
    zpid: idAt(property, 'zpid') ?? zpid,
    address: readPropertyAddress(property),
    ...readPropertyFacts(property),
    zestimate: positiveAt(property, 'zestimate'),
    lot_size: readLotSize(property),
    year_built: positiveWholeAt(property, 'yearBuilt', 'resoFacts.yearBuilt') ?? page.yearBuilt,
    description: filledAt(property, 'description'),
    features: readFeatures(property, page.facts),
    photos: readPhotos(property),
    price_history: nonEmpty(readPriceHistory(property), page.prices),
    tax_history: nonEmpty(readTaxHistory(property), page.taxes),
  };
}

function nonEmpty<T>(rows: T[], others: T[]): T[] {
  return rows.length > 0 ? rows : others;
}

/** Data that only the rendered page has. The tree is built only when the page has such a part. */
function readRendered({ body }: SiteResponse) {
  const page = isMarkup(body) && /fact-category|<table/.test(body) ? parsePage(body) : undefined;
  if (!page) return { facts: [], yearBuilt: null, prices: [], taxes: [] };
  const facts = all(page, '[data-testid="fact-category"] li').flatMap((item) => lineOf(item) ?? []);
  const year = facts.map((fact) => /^Year built: (\d{4})$/i.exec(fact)?.[1]).find(Boolean);
  return {
    facts,
    yearBuilt: year === undefined ? null : Number(year),
    prices: readPriceTable(page),
    taxes: readTaxTable(page),
  };
}

/** A rental building has no listing id, and its price is the price of its cheapest plan. */
function buildingOf(building: JsonObject): JsonObject {
  const plans = arrayAt(building, 'floorPlans');
  const units = arrayAt(building, 'ungroupedUnits').filter(
    (unit) => (filledAt(unit, 'listingType') ?? 'FOR_RENT') === 'FOR_RENT',
  );
  const offers = [...plans, ...units];
  return {
    zpid: null,
    address: readPropertyAddress(building),
    price: lowest(offers.map((offer) => positiveAt(offer, 'minPrice', 'price'))),
    zestimate: null,
    bedrooms: shared(offers.map((offer) => bedsAt(offer, 'beds'))),
    bathrooms: shared(offers.map((offer) => positiveAt(offer, 'baths'))),
    living_area: shared(offers.map((offer) => positiveAt(offer, 'sqft'))),
    lot_size: null,
    year_built: positiveWholeAt(building, 'yearBuilt', 'buildingAttributes.yearBuilt'),
    home_type: first(filledAt(building, 'homeType'), 'APARTMENT'),
    description: filledAt(building, 'description'),
    features: readAmenities(building),
    photos: readPhotos(building),
    price_history: [],
    tax_history: [],
  };
}

/** JSON-LD in the names of the property object. */
function propertyOfLd(listing: JsonObject, zpid: string | null): JsonObject {
  const home = objectAt(listing, 'mainEntity') ?? objectAt(listing, 'offers.itemOffered') ?? {};
  const address = objectAt(home, 'address') ?? objectAt(listing, 'address');
  const image = listing['image'];
  const images = Array.isArray(image) ? image : [image];
  return {
    zpid,
    address: {
      streetAddress: address?.['streetAddress'],
      city: address?.['addressLocality'],
      state: address?.['addressRegion'],
      zipcode: address?.['postalCode'],
    },
    price: first(positiveAt(listing, 'offers.price'), priceAt(listing, 'offers.price')),
    bedrooms: home['numberOfBedrooms'],
    bathrooms: home['numberOfBathroomsTotal'],
    livingAreaValue: at(home, 'floorSize.value'),
    yearBuilt: home['yearBuilt'],
    description: textAt(listing, 'description'),
    photos: images.map((url) => ({ url })),
  };
}
