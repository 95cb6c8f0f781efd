import { apiRequest, pageRequest } from '../request.ts';
import type { SiteRequest, SiteResponse, SitesConfig } from '../types.ts';

/** Values from the profile page that later calls need. */
export interface Session {
  csrfToken: string;
  lsd: string;
  /** The page's document id of the posts that guests see. */
  loggedOutDocId: string;
}

/** Anonymous calls accept any pair of equal tokens. */
export function anonymousSession(config: SitesConfig): Session {
  return { csrfToken: 'missing', lsd: 'AVqbxe3J_YA', loggedOutDocId: config.photoappDocIds.loggedOutPosts };
}

export function readSession({ headers, cookies, body }: SiteResponse, config: SitesConfig): Session {
  const anonymous = anonymousSession(config);
  return {
    csrfToken:
      cookies?.['csrftoken'] ??
      /csrftoken=([^;,\s]+)/.exec(headers?.['set-cookie'] ?? '')?.[1] ??
      /"csrf_token":"([^"\\]{8,100})"/.exec(body)?.[1] ??
      anonymous.csrfToken,
    lsd: /\["LSD",\[\],\{"token":"([^"\\]{4,60})"/.exec(body)?.[1] ?? anonymous.lsd,
    loggedOutDocId:
      /"queryID":"(\d{6,30})","variables":\{"first":12,"username"/.exec(body)?.[1] ??
      anonymous.loggedOutDocId,
  };
}

/** What every call of one answer is made with. */
export interface CallContext {
  config: SitesConfig;
  session: Session;
}

/** A call of the page's scripts; with a form it is a POST. */
function call(path: string, { config, session }: CallContext, form?: Record<string, string>): SiteRequest {
  const origin = config.origins.photoapp;
  const name = form?.['fb_api_req_friendly_name'];
  const ofForm = {
    'content-type': 'application/x-www-form-urlencoded',
    origin,
    'x-fb-lsd': session.lsd,
    ...(name === undefined ? {} : { 'x-fb-friendly-name': name }),
  };
  return apiRequest(
    {
      method: form === undefined ? 'GET' : 'POST',
      url: `${origin}${path}`,
      headers: {
        'x-ig-app-id': config.photoappAppId,
        'x-asbd-id': '359341',
        'x-ig-www-claim': '0',
        'x-csrftoken': session.csrfToken,
        'x-requested-with': 'XMLHttpRequest',
        referer: `${origin}/`,
        ...(form === undefined ? {} : ofForm),
      },
      cookies: { csrftoken: session.csrfToken },
      ...(form === undefined ? {} : { body: new URLSearchParams(form).toString() }),
    },
    config,
  );
}

export function profilePage(username: string, config: SitesConfig): SiteRequest {
  return pageRequest(`${config.origins.photoapp}/${username}/`, config);
}

/** The embed page for other sites. The site serves it even when the profile page is behind a wall. */
export function embedPage(username: string, config: SitesConfig): SiteRequest {
  return pageRequest(`${config.origins.photoapp}/${username}/embed/`, config, {
    headers: { 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'cross-site' },
  });
}

export function webProfileInfo(username: string, context: CallContext): SiteRequest {
  return call(`/api/v1/users/web_profile_info/?username=${encodeURIComponent(username)}`, context);
}

export interface PageOf {
  count: number;
  cursor: string | null;
}

/** Posts by user name: complete, with a page size of our choice. */
export function timelineByName(
  username: string,
  { count, cursor }: PageOf,
  context: CallContext,
): SiteRequest {
  const { timeline, timelineNext } = context.config.photoappDocIds;
  const form = {
    fb_api_req_friendly_name: 'PolarisProfilePostsQuery',
    doc_id: cursor === null ? timeline : timelineNext,
    variables: JSON.stringify({
      after: cursor,
      before: null,
      data: {
        count,
        include_relationship_info: true,
        latest_besties_reel_media: true,
        latest_reel_media: true,
      },
      first: count,
      last: null,
      username,
      __relay_internal__pv__PolarisIsLoggedInrelayprovider: true,
    }),
  };
  return call('/graphql/query/', context, form);
}

/** Posts as guests see them, by name or id, without counts. */
export function loggedOutPosts(by: 'username' | 'id') {
  return (who: string, { count, cursor }: PageOf, context: CallContext): SiteRequest => {
    const { lsd, loggedOutDocId } = context.session;
    const variables = { first: count, [by]: who, ...(cursor === null ? {} : { after: cursor }) };
    const form = {
      lsd,
      fb_api_req_friendly_name: 'PolarisLoggedOutDesktopWWWProfilePostsTabContentQuery',
      doc_id: loggedOutDocId,
      variables: JSON.stringify(variables),
    };
    return call('/api/graphql', context, form);
  };
}

export function feedOfUser(userId: string, { count, cursor }: PageOf, context: CallContext): SiteRequest {
  const next = cursor === null ? '' : `&max_id=${encodeURIComponent(cursor)}`;
  return call(`/api/v1/feed/user/${userId}/?count=${count}${next}`, context);
}

const LEGACY_TIMELINE_HASH = '69cba40317214236af40e7efa697781d';

/** The oldest call that takes an id and an opaque cursor. */
export function legacyTimeline(userId: string, { count, cursor }: PageOf, context: CallContext): SiteRequest {
  const variables = JSON.stringify({ id: userId, first: count, after: cursor });
  const query = new URLSearchParams({ query_hash: LEGACY_TIMELINE_HASH, variables });
  return call(`/graphql/query/?${query.toString()}`, context);
}

export function clipsGraphql(userId: string, { count, cursor }: PageOf, context: CallContext): SiteRequest {
  const { clips, clipsNext } = context.config.photoappDocIds;
  const form = {
    fb_api_req_friendly_name: 'PolarisProfileReelsTabContentQuery',
    doc_id: cursor === null ? clips : clipsNext,
    variables: JSON.stringify({
      data: { include_feed_video: true, page_size: count, target_user_id: userId },
      id: userId,
      first: count,
      after: cursor,
      before: null,
      last: null,
    }),
  };
  return call('/graphql/query/', context, form);
}

export function clipsRest(userId: string, { count, cursor }: PageOf, context: CallContext): SiteRequest {
  const form = {
    target_user_id: userId,
    page_size: String(count),
    include_feed_video: 'true',
    ...(cursor === null ? {} : { max_id: cursor }),
  };
  return call('/api/v1/clips/user/', context, form);
}
