import { z } from 'zod';
import { addressInput, decimal, fault, list, text, whole } from './fields.ts';
import { definePrebuiltApi } from './prebuilt-api.ts';

export const realtySearch = definePrebuiltApi({
  id: 'realty-search',
  name: 'Real-estate search',
  description:
    'A page of listings. Send `query` for the first page, and `next_url` of the previous response for the next.',
  input: z
    .strictObject({
      query: z.string().trim().min(1).max(300).optional().describe('City, zip or address.'),
      next_url: addressInput('`pagination.next_url` of the previous response.').optional(),
    })
    .refine((input) => input.query !== undefined || input.next_url !== undefined, {
      ...fault('query', 'is required for the first page (or next_url for a later one)'),
    })
    .refine((input) => input.query === undefined || input.next_url === undefined, {
      ...fault('next_url', 'cannot be sent together with query: it already contains the search'),
    }),
  output: z.object({
    total_results: whole('Results of the whole search; units, not rows, for rentals.'),
    listings: list(
      z.object({
        zpid: text('Listing identifier; null for a building, which has none.'),
        address: text('Address in one line; null when undisclosed.'),
        city: text('City.'),
        state: text('State.'),
        zipcode: text('Zip code.'),
        price: decimal('US dollars; per month for rentals; the lowest unit of a building.'),
        bedrooms: whole('Bedrooms; 0 for a studio.'),
        bathrooms: decimal('Bathrooms.'),
        living_area: decimal('Square feet.'),
        home_type: text('SINGLE_FAMILY, TOWNHOUSE, CONDO, APARTMENT, MULTI_FAMILY, MANUFACTURED, LOT, …'),
        listing_status: text('FOR_SALE, FOR_RENT, RECENTLY_SOLD, PENDING, …'),
        thumbnail: text('Photo.'),
        detail_url: text('Address of the listing, for realty-details.'),
      }),
      'Listings of this page.',
    ),
    pagination: z.object({
      next_url: text('Address of the next page; null on the last one.'),
      has_more: z.boolean(),
    }),
  }),
  // A building row has no zpid, but every row has a unique address on the site.
  rowKey: { list: 'listings', key: [{ column: 'detail_url', path: 'detail_url' }] },
});

export const realtyDetails = definePrebuiltApi({
  id: 'realty-details',
  name: 'Real-estate details',
  description: 'Full property details with price history and tax history.',
  input: z.strictObject({ url: addressInput('Address of the listing.') }),
  output: z.object({
    zpid: text('Listing identifier; null for a building.'),
    address: z.object({
      street: text('Street and number.'),
      city: text('City.'),
      state: text('State.'),
      zipcode: text('Zip code.'),
    }),
    price: decimal('US dollars; per month for a rental; null off the market.'),
    zestimate: decimal('The site’s own estimate in US dollars.'),
    bedrooms: whole('Bedrooms.'),
    bathrooms: decimal('Bathrooms as the listing counts them.'),
    living_area: decimal('Square feet.'),
    lot_size: decimal('Square feet.'),
    year_built: whole('Year.'),
    home_type: text('SINGLE_FAMILY, TOWNHOUSE, CONDO, …'),
    description: text('Description.'),
    features: list(z.string(), 'Features listed on the page.'),
    photos: list(z.string(), 'Address of each photo in its largest size, in the order of the page.'),
    price_history: list(
      z.object({
        date: text('YYYY-MM-DD.'),
        price: decimal('US dollars; null when the event has none.'),
        event: text('The site’s words: `Listed for sale`, …'),
      }),
      'Newest first.',
    ),
    tax_history: list(
      z.object({
        year: whole('Year.'),
        tax: decimal('Tax paid in US dollars.'),
        assessment: decimal('Assessed value in US dollars.'),
      }),
      'Newest first.',
    ),
  }),
  rowKey: { key: [{ column: 'zpid', path: 'zpid' }] },
});
