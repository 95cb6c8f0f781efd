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
  return {
    csrfToken: 'missing',
    lsd: 'AVqbxe3J_YA',
    loggedOutDocId: config.photoappDocIds.loggedOutPosts,
  };
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

function apiHeaders(config: SitesConfig, session: Session): Record<string, string> {
  return {
    'x-ig-app-id': config.photoappAppId,
    'x-asbd-id': '359341',
    'x-ig-www-claim': '0',
    'x-csrftoken': session.csrfToken,
    'x-requested-with': 'XMLHttpRequest',
    referer: `${config.origins.photoapp}/`,
  };
}

function get(path: string, config: SitesConfig, session: Session): SiteRequest {
  return apiRequest(
    {
      method: 'GET',
      url: `${config.origins.photoapp}${path}`,
      headers: apiHeaders(config, session),
      cookies: { csrftoken: session.csrfToken },
    },
    config,
  );
}

function post(
  path: string,
  form: Record<string, string>,
  { config, session, name }: { config: SitesConfig; session: Session; name?: string },
): SiteRequest {
  return apiRequest(
    {
      method: 'POST',
      url: `${config.origins.photoapp}${path}`,
      headers: {
        ...apiHeaders(config, session),
        'content-type': 'application/x-www-form-urlencoded',
        origin: config.origins.photoapp,
        'x-fb-lsd': session.lsd,
        ...(name === undefined ? {} : { 'x-fb-friendly-name': name }),
      },
      cookies: { csrftoken: session.csrfToken },
      body: new URLSearchParams(form).toString(),
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

export function webProfileInfo(username: string, config: SitesConfig, session: Session): SiteRequest {
  return get(`/api/v1/users/web_profile_info/?username=${encodeURIComponent(username)}`, config, session);
}

export interface PageOf {
  count: number;
  cursor: string | null;
}

/** Posts by user name: complete, with a page size of our choice. */
export function timelineByName(
  username: string,
  { count, cursor }: PageOf,
  { config, session }: { config: SitesConfig; session: Session },
): SiteRequest {
  const variables = {
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
  };
  const { timeline, timelineNext } = config.photoappDocIds;
  const form = { doc_id: cursor === null ? timeline : timelineNext, variables: JSON.stringify(variables) };
  const name = 'PolarisProfilePostsQuery';
  return post('/graphql/query/', { fb_api_req_friendly_name: name, ...form }, { config, session, name });
}

/** Posts as guests see them, by name or id, without counts. */
export function loggedOutPosts(
  who: { username: string } | { id: string },
  { count, cursor }: PageOf,
  { config, session }: { config: SitesConfig; session: Session },
): SiteRequest {
  const variables = { first: count, ...who, ...(cursor === null ? {} : { after: cursor }) };
  const name = 'PolarisLoggedOutDesktopWWWProfilePostsTabContentQuery';
  const form = {
    lsd: session.lsd,
    fb_api_req_friendly_name: name,
    doc_id: session.loggedOutDocId,
    variables: JSON.stringify(variables),
  };
  return post('/api/graphql', form, { config, session, name });
}

export function feedOfUser(
  userId: string,
  { count, cursor }: PageOf,
  { config, session }: { config: SitesConfig; session: Session },
): SiteRequest {
  const next = cursor === null ? '' : `&max_id=${encodeURIComponent(cursor)}`;
  return get(`/api/v1/feed/user/${userId}/?count=${count}${next}`, config, session);
}

const LEGACY_TIMELINE_HASH = '69cba40317214236af40e7efa697781d';

/** The oldest call that takes an id and an opaque cursor. */
export function legacyTimeline(
  userId: string,
  { count, cursor }: PageOf,
  { config, session }: { config: SitesConfig; session: Session },
): SiteRequest {
  const variables = JSON.stringify({ id: userId, first: count, after: cursor });
  const query = new URLSearchParams({ query_hash: LEGACY_TIMELINE_HASH, variables });
  return get(`/graphql/query/?${query.toString()}`, config, session);
}

export function clipsGraphql(
  userId: string,
  { count, cursor }: PageOf,
  { config, session }: { config: SitesConfig; session: Session },
): SiteRequest {
  const variables = {
    data: { include_feed_video: true, page_size: count, target_user_id: userId },
    id: userId,
    first: count,
    after: cursor,
    before: null,
    last: null,
  };
  const { clips, clipsNext } = config.photoappDocIds;
  const name = 'PolarisProfileReelsTabContentQuery';
  const form = {
    fb_api_req_friendly_name: name,
    doc_id: cursor === null ? clips : clipsNext,
    variables: JSON.stringify(variables),
  };
  return post('/graphql/query/', form, { config, session, name });
}

export function clipsRest(
  userId: string,
  { count, cursor }: PageOf,
  { config, session }: { config: SitesConfig; session: Session },
): SiteRequest {
  return post(
    '/api/v1/clips/user/',
    {
      target_user_id: userId,
      page_size: String(count),
      include_feed_video: 'true',
      ...(cursor === null ? {} : { max_id: cursor }),
    },
    { config, session },
  );
}
