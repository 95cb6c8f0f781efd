import { worst } from '../outcome.ts';
import { isMarkup, linkOf } from '../read/html.ts';
import { siteAddress } from '../read/url.ts';
import { filledAt } from '../read/value.ts';
import { pageRequest } from '../request.ts';
import type { InputFault, Site, SiteInput, SiteOutcome, SitePlan, SitesConfig } from '../types.ts';
import { extractPost } from './post.ts';

const HOSTS = ['linkedin.com'];

/** The target of an input: a page, or or an update with only its id known. */
type PronetTarget = { kind: 'page'; path: string } | { kind: 'update'; urn: string };

const URN = /urn:li:(activity|share|ugcPost):(\d{15,20})/i;

/** Reads any of the forms: an address, an article slug, an update's URN or its bare id. */
export function readTarget(written: string, config: SitesConfig): PronetTarget | undefined {
  const text = written.trim();
  if (/^\d{15,20}$/.test(text)) return { kind: 'update', urn: `urn:li:activity:${text}` };
  if (/^urn(?::|%3A)/i.test(text)) return updateOf(text);
  if (/^[\p{L}\p{N}_%-]{3,300}$/u.test(text) && !text.includes('.'))
    return { kind: 'page', path: `/pulse/${text}` };
  const url = siteAddress(text, { hosts: HOSTS, origin: config.origins.pronet });
  return url && readPath(url.pathname);
}

function updateOf(text: string): PronetTarget | undefined {
  const found = URN.exec(text.replaceAll(/%3A/gi, ':'));
  return found ? { kind: 'update', urn: `urn:li:${found[1]}:${found[2]}` } : undefined;
}

function readPath(pathname: string): PronetTarget | undefined {
  const path = pathname.replace(/(?<!\/)\/+$/, '');
  if (/^\/posts\/[^/]+$/.test(path)) return { kind: 'page', path };
  if (/^\/(?:embed\/)?feed\/update\//.test(path)) return updateOf(path);
  const article = /^\/(?:pulse|today\/article)\/([^/]+)$/.exec(path)?.[1];
  return article === undefined ? undefined : { kind: 'page', path: `/pulse/${article}` };
}

function* planPost(input: SiteInput, config: SitesConfig): SitePlan {
  const target = targetOf(input, config);
  const origin = config.origins.pronet;
  const paths =
    target?.kind === 'update'
      ? [`/feed/update/${target.urn}`, `/embed/feed/update/${target.urn}`]
      : [target?.path ?? '/'];
  const outcomes: SiteOutcome[] = [];
  for (const path of paths) {
    const response = yield pageRequest(`${origin}${path}`, config);
    const outcome = extractPost([response], input);
    if (outcome.outcome === 'ok') return outcome;
    outcomes.push(outcome);
    const canonical = canonicalPath(response.body, config);
    if (canonical === undefined || paths.includes(canonical)) continue;
    const followed = yield pageRequest(`${origin}${canonical}`, config);
    const second = extractPost([followed], input);
    if (second.outcome === 'ok' || second.outcome === 'not_found') return second;
    outcomes.push(second);
  }
  return worst(outcomes);
}

/** The address of the post according to a page without it: an update can be an article. */
function canonicalPath(body: string, config: SitesConfig): string | undefined {
  const canonical = (isMarkup(body) ? linkOf(body, 'canonical') : null) ?? '';
  const url = siteAddress(canonical, { hosts: HOSTS, origin: config.origins.pronet });
  const target = url && readPath(url.pathname);
  return target?.kind === 'page' ? target.path : undefined;
}

function targetOf(input: SiteInput, config: SitesConfig): PronetTarget | undefined {
  const written = filledAt(input, 'url', 'slug');
  return written === null ? undefined : readTarget(written, config);
}

function checkPost(input: SiteInput, config: SitesConfig): InputFault | undefined {
  if (targetOf(input, config)) return undefined;
  return {
    field: input['url'] === undefined ? 'slug' : 'url',
    detail: 'is not the address of a post or article, nor an activity id',
    hint: 'Send /posts/…, /feed/update/urn:li:activity:…, /pulse/… or the bare activity id.',
  };
}

export const PRONET = {
  'pronet-post': { extract: extractPost, plan: planPost, check: checkPost },
} satisfies Record<string, Site>;
