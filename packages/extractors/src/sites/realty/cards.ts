import { titleOf } from '../read/html.ts';
import { all, attribute, lineOf, one, type PageElement, parsePage, type DomScope } from '../read/dom.ts';
import { absoluteUrl } from '../read/url.ts';
import { asNumber } from '../read/value.ts';
import type { SiteResponse } from '../types.ts';
import { PUBLIC_ORIGIN } from './documents.ts';
import { readBeds, readPrice } from './numbers.ts';

const CARD = '[data-test="property-card"], [data-testid="property-card"], article.list-card';

/** The search cards of a page without data in its scripts. The server renders only about nine. */
export function readCards({ body }: SiteResponse): Record<string, unknown> | undefined {
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

function readCard(card: PageElement): Record<string, unknown> {
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
