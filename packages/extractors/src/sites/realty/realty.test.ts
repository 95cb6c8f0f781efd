import { describe, expect, it } from 'vitest';
import { response } from '../fixtures/page.ts';
import {
  blockPage,
  buildingPage,
  buildingRow,
  cardsPage,
  detailPage,
  mobileSearchPage,
  property,
  searchCall,
  searchPage,
  searchRow,
} from '../fixtures/realty.ts';
import { htmlPage, jsonScript } from '../fixtures/page.ts';
import { extractDetails } from './details.ts';
import { extractSearch } from './search.ts';

const listing = {
  zpid: '10000001',
  address: '1 Elm St, Springfield, IL 62701',
  city: 'Springfield',
  state: 'IL',
  zipcode: '62701',
  price: 189000,
  bedrooms: 3,
  bathrooms: 1.5,
  living_area: 1420,
  home_type: 'SINGLE_FAMILY',
  listing_status: 'FOR_SALE',
  thumbnail: 'https://photos.example/10000001.jpg',
  detail_url: 'https://www.zillow.com/homedetails/Elm-St-Springfield-IL-62701/10000001_zpid/',
};

describe('search', () => {
  const parts = { rows: [searchRow(10_000_001)], total: 91, nextUrl: '/springfield-il/2_p/' };
  it.each([
    ['the page of today', searchPage(parts)],
    ['the comment of 2022', mobileSearchPage(parts)],
    ['the comment of 2020', mobileSearchPage(parts, { hasCategory: false })],
  ])('reads %s', (_name, body) => {
    expect(extractSearch([response(body)], {})).toEqual({
      outcome: 'ok',
      data: {
        total_results: 91,
        listings: [listing],
        pagination: { next_url: 'https://www.zillow.com/springfield-il/2_p/', has_more: true },
      },
    });
  });

  it('reads the search call, whose rows have only the inner record', () => {
    const row = {
      zpid: 10_000_001,
      address: '--',
      price: '$1.50M',
      detailUrl: '/x/10000001_zpid/',
      hdpData: {
        homeInfo: { city: 'Springfield', state: 'IL', zipcode: '62701', homeType: 'LOT', bedrooms: 3 },
      },
    };
    expect(extractSearch([response(searchCall({ rows: [row], total: 90 }))], {})).toMatchObject({
      data: {
        total_results: 90,
        listings: [
          {
            zpid: '10000001',
            address: null,
            city: 'Springfield',
            price: 1_500_000,
            bedrooms: null,
            home_type: 'LOT',
          },
        ],
        pagination: { next_url: null, has_more: true },
      },
    });
  });

  it('returns a building without an id, with the price of its cheapest unit', () => {
    expect(extractSearch([response(searchPage({ rows: [buildingRow()], total: 21 }))], {})).toMatchObject({
      data: {
        listings: [{ zpid: null, price: 1450, bedrooms: 0, listing_status: 'FOR_RENT', home_type: null }],
        pagination: { next_url: null, has_more: false },
      },
    });
  });

  it('reads the cards of a page without data', () => {
    expect(extractSearch([response(cardsPage())], {})).toMatchObject({
      data: {
        total_results: 1738,
        listings: [
          {
            zpid: '10000001',
            city: 'Springfield',
            state: 'IL',
            zipcode: '62701',
            price: 189000,
            bedrooms: 3,
            bathrooms: 1.5,
            living_area: 1420,
            listing_status: 'FOR_SALE',
          },
        ],
        pagination: { next_url: 'https://www.zillow.com/springfield-il/2_p/', has_more: true },
      },
    });
  });

  it('returns the only home that a query redirected to', () => {
    const body = detailPage({ 'ForSalePriorityQuery{"zpid":10000001}': property() });
    expect(extractSearch([response(body)], {})).toMatchObject({
      data: {
        total_results: 1,
        listings: [
          { zpid: '10000001', address: '12 Elm St, Springfield, IL 62701', listing_status: 'FOR_SALE' },
        ],
        pagination: { has_more: false },
      },
    });
  });

  it('returns no listings for an empty search, and for an unknown place with homes all over the country', () => {
    expect(extractSearch([response(searchPage({ rows: [], total: 0 }))], {})).toMatchObject({
      data: { total_results: 0, listings: [] },
    });
    const nowhere = {
      cat1: { searchResults: { listResults: [searchRow(1)] }, searchList: { totalResultCount: 9 } },
      queryState: { regionSelection: [], mapBounds: { west: -130, east: -60 } },
    };
    expect(extractSearch([response(nowhere)], {})).toMatchObject({
      data: { total_results: 0, listings: [] },
    });
  });

  it.each([
    ['blocked', response(blockPage(), { status: 403 })],
    ['blocked', response('<html><script src="https://geo.captcha-delivery.com/c.js"></script></html>')],
    ['rate_limited', response('', { status: 429 })],
    ['not_found', response('<title>Page not found</title>', { status: 404 })],
    ['unrecognised', response(htmlPage({ title: 'Zillow' }))],
    [
      'unrecognised',
      response(
        htmlPage({
          body: jsonScript({ props: { pageProps: { brandNew: { rows: [] } } } }, 'id="__NEXT_DATA__"'),
        }),
      ),
    ],
  ])('reports %s', (outcome, answer) => {
    expect(extractSearch([answer], {}).outcome).toBe(outcome);
  });
});

describe('details', () => {
  const data = {
    zpid: '10000001',
    address: { street: '12 Elm St', city: 'Springfield', state: 'IL', zipcode: '62701' },
    price: 189000,
    zestimate: 191200,
    bedrooms: 3,
    bathrooms: 2,
    living_area: 1420,
    lot_size: 21780,
    year_built: 1954,
    home_type: 'SINGLE_FAMILY',
    description: 'Brick house with a porch.',
    features: ['Dishwasher', 'Forced air'],
    photos: ['https://photos.example/a-1536.jpg'],
    price_history: [
      { date: '2026-05-02', price: 189000, event: 'Listed for sale' },
      { date: '2019-01-10', price: null, event: 'Listing removed' },
    ],
    tax_history: [{ year: 2025, tax: 2602.02, assessment: 143483 }],
  };

  it.each([
    ['now', detailPage({ 'ForSalePriorityQuery{"zpid":10000001}': property() })],
    ['before 2023-06', detailPage({ 'ForSaleFullRenderQuery{}': property() }, { era: 'before' })],
    ['the bare property', property()],
  ])('reads the layout of %s', (_name, body) => {
    expect(extractDetails([response(body)], {})).toEqual({ outcome: 'ok', data });
  });

  it('fills an incomplete entry from another one of the same home, and reads the requested home of several', () => {
    const light = { zpid: 10_000_001, price: 200000, homeType: null };
    const body = detailPage({
      'VariantQuery{}': light,
      'ForSaleShopper{}': property(),
      'Nearby{}': property(10_000_009, { extra: 1, more: 2 }),
    });
    const url = 'https://www.zillow.com/homedetails/x/10000001_zpid/';
    expect(extractDetails([response(body)], { url })).toEqual({ outcome: 'ok', data });
  });

  it('returns no price off the market and no rooms for a lot', () => {
    const body = detailPage({
      'NotForSaleShopperPlatformFullRenderQuery{}': property(1_000_001, {
        price: 0,
        lastSoldPrice: 99,
        homeType: 'LOT',
        bedrooms: 0,
        bathrooms: 0,
        livingAreaValue: 0,
      }),
    });
    expect(extractDetails([response(body)], {})).toMatchObject({
      data: { price: null, bedrooms: null, bathrooms: null, living_area: null, lot_size: 21780 },
    });
  });

  it('reads a rental building', () => {
    expect(extractDetails([response(buildingPage())], {})).toMatchObject({
      data: {
        zpid: null,
        address: { street: '5 Oak Ct' },
        price: 1450,
        bedrooms: 1,
        bathrooms: 1,
        living_area: null,
        photos: ['https://photos.example/oak.jpg'],
      },
    });
  });

  it('reads facts and histories that only the rendered page has', () => {
    const bare = property(10_000_001, { resoFacts: {}, priceHistory: null, taxHistory: null });
    const body = detailPage({ 'ForSalePriorityQuery{}': bare }).replace(
      '</body>',
      `<div data-testid="category-group"><div data-testid="fact-category"><ul><li>Year built: 1954</li></ul></div></div>
       <table><thead><tr><th>Date</th><th>Event</th><th>Price</th></tr></thead><tbody><tr><td>5/2/2026</td><td>Listed for sale</td><td>$189,000</td></tr></tbody></table>
       <table><thead><tr><th>Year</th><th>Property taxes</th><th>Tax assessment</th></tr></thead><tbody><tr><td>2025</td><td>$2,602</td><td>$143,483</td></tr></tbody></table></body>`,
    );
    expect(extractDetails([response(body)], {})).toMatchObject({
      data: {
        year_built: 1954,
        features: ['Year built: 1954'],
        price_history: [{ date: '2026-05-02', price: 189000, event: 'Listed for sale' }],
        tax_history: [{ year: 2025, tax: 2602, assessment: 143483 }],
      },
    });
  });

  it('falls back on JSON-LD', () => {
    const ld = {
      '@type': ['Product', 'RealEstateListing'],
      offers: { price: 189000 },
      mainEntity: {
        address: {
          streetAddress: '12 Elm St',
          addressLocality: 'Springfield',
          addressRegion: 'IL',
          postalCode: '62701',
        },
        numberOfBedrooms: 3,
        numberOfBathroomsTotal: 2,
        floorSize: { value: 1420 },
        yearBuilt: 1954,
      },
    };
    const body = htmlPage({ head: jsonScript(ld, 'type="application/ld+json"') });
    expect(
      extractDetails([response(body)], { url: 'https://www.zillow.com/homedetails/10000001_zpid/' }),
    ).toMatchObject({
      data: {
        zpid: '10000001',
        address: data.address,
        price: 189000,
        bedrooms: 3,
        bathrooms: 2,
        living_area: 1420,
        year_built: 1954,
      },
    });
  });

  it.each([
    ['not_found', searchPage({ rows: [searchRow(1)], total: 1 })],
    ['blocked', blockPage()],
    ['unrecognised', detailPage({ 'BrandNewQuery{}': {} })],
    ['unrecognised', htmlPage({ title: 'Zillow' })],
  ])('reports %s', (outcome, body) => {
    expect(extractDetails([response(body)], {}).outcome).toBe(outcome);
  });
});
