import { defaultSitesConfig } from '../config.ts';
import { checkUsername, siteAddress } from '../read/url.ts';
import { filledAt } from '../read/value.ts';
import { pageRequest, visitTwice } from '../request.ts';
import type { InputFault, Site, SiteInput, SitePlan, SiteRequest, SitesConfig } from '../types.ts';
import { extractProfile } from './profile.ts';
import { canonicalOf, extractVideo } from './video.ts';

const HOSTS = ['tiktok.com', 'tiktokv.com'];

function visit(path: string, config: SitesConfig): SiteRequest {
  const url = new URL(path, config.origins.shortvideo);
  url.searchParams.set('lang', 'en');
  return pageRequest(url.href, config);
}

const DATA_SCRIPT = 'script#__UNIVERSAL_DATA_FOR_REHYDRATION__, script#SIGI_STATE';

function planProfile(input: SiteInput, config: SitesConfig): SitePlan {
  const name = (filledAt(input, 'username') ?? '').replace(/^@/, '');
  return visitTwice(visit(`/@${encodeURIComponent(name)}`, config), DATA_SCRIPT, extractProfile, input);
}

function* planVideo(input: SiteInput, config: SitesConfig): SitePlan {
  const url = addressOf(input, config);
  const id = url && videoIdOf(url);
  if (id !== undefined) return yield* detailPlan(id, input, config);
  const code = (url && shortCodeOf(url)) ?? '';
  const isDefault = config.origins.shortvideo === defaultSitesConfig.origins.shortvideo;
  const short = isDefault && url ? url.href : `${config.origins.shortvideo}/t/${code}`;
  const response = yield pageRequest(short, config);
  const reached = idOfAddress(response.finalUrl ?? '') ?? idOfAddress(canonicalOf(response) ?? '');
  const outcome = extractVideo([response], input);
  if (outcome.outcome === 'ok' || reached === undefined) return outcome;
  return yield* detailPlan(reached, input, config);
}

/** The site doesn't check the name in the address, and serves photo posts under /video/ too. */
function detailPlan(id: string, input: SiteInput, config: SitesConfig): SitePlan {
  return visitTwice(visit(`/@_/video/${id}`, config), DATA_SCRIPT, extractVideo, {
    ...input,
    url: `/video/${id}`,
  });
}

const ID = /^\d{6,20}$/;

/** The id in any of the address forms; undefined for a short link. */
function videoIdOf(url: URL): string | undefined {
  const parts = url.pathname.split('/').filter(Boolean);
  const marker = parts.findIndex((part) => /^(?:video|photo|embed|v|v2|v3)$/.test(part));
  const after = marker === -1 ? [] : parts.slice(marker + 1);
  const candidates = [
    ...after.map((part) => part.replace(/\.html$/, '')),
    url.searchParams.get('item_id') ?? '',
  ];
  return candidates.find((part) => ID.test(part));
}

function idOfAddress(address: string): string | undefined {
  return URL.canParse(address) ? videoIdOf(new URL(address)) : undefined;
}

/** The code of a short link: /t/<code>, or the only part of the path on the short hosts. */
function shortCodeOf(url: URL): string | undefined {
  const parts = url.pathname.split('/').filter(Boolean);
  const code = parts[0] === 't' ? parts[1] : parts.length === 1 ? parts[0] : undefined;
  return code !== undefined && /^[A-Za-z0-9_-]{4,24}$/.test(code) ? code : undefined;
}

function addressOf(input: SiteInput, config: SitesConfig): URL | undefined {
  return siteAddress(filledAt(input, 'url') ?? '', { hosts: HOSTS, origin: config.origins.shortvideo });
}

function checkVideo(input: SiteInput, config: SitesConfig): InputFault | undefined {
  const url = addressOf(input, config);
  if (!url) return { field: 'url', detail: 'is not an address of the short-video network' };
  if (videoIdOf(url) !== undefined || shortCodeOf(url) !== undefined) return undefined;
  return {
    field: 'url',
    detail: 'does not contain a video id',
    hint: 'Send the address of a video: /@name/video/<id>, or its short link.',
  };
}

export const SHORTVIDEO = {
  'shortvideo-profile': { extract: extractProfile, plan: planProfile, check: checkUsername },
  'shortvideo-video': { extract: extractVideo, plan: planVideo, check: checkVideo },
} satisfies Record<string, Site>;
