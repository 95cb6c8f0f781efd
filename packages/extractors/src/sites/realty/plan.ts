import { onOrigin, siteAddress } from '../read/url.ts';
import { asFilled, filledAt } from '../read/value.ts';
import { pageRequest, visitTwice } from '../request.ts';
import type { InputFault, Site, SiteInput, SitePlan, SiteReader, SitesConfig } from '../types.ts';
import { extractDetails } from './details.ts';
import { extractSearch } from './search.ts';

const HOSTS = ['zillow.com'];

const DATA_SCRIPT = 'script#__NEXT_DATA__';

function visit(url: string, read: SiteReader, input: SiteInput, config: SitesConfig): SitePlan {
  return visitTwice(pageRequest(url, config), DATA_SCRIPT, read, input);
}

function planSearch(input: SiteInput, config: SitesConfig): SitePlan {
  const next = addressOf(input, 'next_url', config);
  if (next) return visit(onOrigin(next, config.origins.realty), extractSearch, input, config);
  const query = (filledAt(input, 'query') ?? '').replaceAll(/[\s,]+/g, '-').replaceAll(/^-+|(?<!-)-+$/g, '');
  const url = `${config.origins.realty}/homes/${encodeURIComponent(query)}_rb/`;
  return visit(url, extractSearch, input, config);
}

function planDetails(input: SiteInput, config: SitesConfig): SitePlan {
  const url = addressOf(input, 'url', config);
  const address = url ? onOrigin(url, config.origins.realty) : config.origins.realty;
  return visit(address, extractDetails, input, config);
}

function addressOf(input: SiteInput, field: string, config: SitesConfig): URL | undefined {
  return siteAddress(asFilled(input[field]) ?? '', { hosts: HOSTS, origin: config.origins.realty });
}

function checkSearch(input: SiteInput, config: SitesConfig): InputFault | undefined {
  if (filledAt(input, 'next_url') === null) {
    // A query of only separators leaves no address to search.
    if (/[\p{L}\p{N}]/u.test(filledAt(input, 'query') ?? '')) return undefined;
    return {
      field: 'query',
      detail: 'does not name a place',
      hint: 'Send a city, a zip code or an address.',
    };
  }
  if (addressOf(input, 'next_url', config)) return undefined;
  return {
    field: 'next_url',
    detail: 'is not an address of the real-estate site',
    hint: 'Send pagination.next_url of the previous response, unchanged.',
  };
}

const LISTING = /_zpid|^\/(?:apartments|b|community|homedetails|building)\//;

function checkDetails(input: SiteInput, config: SitesConfig): InputFault | undefined {
  const url = addressOf(input, 'url', config);
  if (!url) return { field: 'url', detail: 'is not an address of the real-estate site' };
  if (LISTING.test(url.pathname)) return undefined;
  return {
    field: 'url',
    detail: 'is not the address of a listing',
    hint: 'Send a listing’s detail_url: /homedetails/…/<zpid>_zpid/, /apartments/… or /b/….',
  };
}

export const REALTY = {
  'realty-search': { extract: extractSearch, plan: planSearch, check: checkSearch },
  'realty-details': { extract: extractDetails, plan: planDetails, check: checkDetails },
} satisfies Record<string, Site>;
