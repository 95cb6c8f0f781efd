// Page: /@name.
// Data: __UNIVERSAL_DATA_FOR_REHYDRATION__ → webapp.user-detail; SIGI_STATE → UserModule; __NEXT_DATA__ → userInfo.
// Seen: Jan 2021 to May 2026.
import { failed, ok, worst } from '../outcome.ts';
import {
  asCount,
  asFilled,
  asFlag,
  asId,
  asNumber,
  asText,
  asWhole,
  at,
  first,
  isObject,
  objectAt,
  type JsonObject,
} from '../read/value.ts';
import { findObject } from '../read/walk.ts';
import type { SiteInput, SiteOutcome, SiteResponse } from '../types.ts';
import { readRoots, readWall, scopeOf, statusOf, statusText } from './documents.ts';

interface Found {
  user: JsonObject;
  stats: JsonObject | undefined;
  statsV2: JsonObject | undefined;
  status: number | null;
}

export function extractProfile(responses: readonly SiteResponse[], input: SiteInput): SiteOutcome {
  const failures: SiteOutcome[] = [];
  for (const response of responses) {
    const roots = readRoots(response);
    for (const root of roots) {
      const found = findUser(root, input);
      if (found) return ok(profileOf(found));
      const refusal = readRefusal(root);
      if (refusal) failures.push(refusal);
    }
    if (failures.length === 0) failures.push(readWall(response, roots));
  }
  return worst(failures);
}

function findUser(root: JsonObject, input: SiteInput): Found | undefined {
  const scope = scopeOf(root);
  const details = Object.entries(scope).flatMap(([key, value]) =>
    /user.?detail/.test(key) && isObject(value) ? [value] : [],
  );
  for (const detail of [...details, objectAt(root, 'props', 'pageProps') ?? {}, root]) {
    const info = objectAt(detail, 'userInfo');
    const user = objectAt(info, 'user');
    if (!user || !isUser(user)) continue;
    return {
      user,
      stats: objectAt(info, 'stats'),
      statsV2: objectAt(info, 'statsV2'),
      status: statusOf(detail),
    };
  }
  return findStateUser(root, input) ?? findOldUser(root);
}

function isUser(user: JsonObject): boolean {
  return asFilled(user['uniqueId']) !== null && asId(user['id']) !== null;
}

/** SIGI_STATE keeps users and their counters by name. */
function findStateUser(root: JsonObject, input: SiteInput): Found | undefined {
  const users = objectAt(root, 'UserModule', 'users');
  const isVideo = isObject(root['VideoPage']) && !isObject(root['UserPage']);
  if (!users || isVideo) return undefined;
  const wanted = (
    asFilled(at(root, 'UserPage', 'uniqueId')) ?? asFilled(input['username'])?.replace(/^@/, '')
  )?.toLowerCase();
  const [name, user] =
    Object.entries(users).find(([key]) => wanted === undefined || key.toLowerCase() === wanted) ?? [];
  if (name === undefined || !isObject(user) || !isUser(user)) return undefined;
  return {
    user,
    stats: objectAt(root, 'UserModule', 'stats', name),
    statsV2: objectAt(root, 'UserModule', 'statsV2', name),
    status: statusOf(root['UserPage']),
  };
}

/** Early 2020, other names for the same fields. */
function findOldUser(root: JsonObject): Found | undefined {
  const data = objectAt(root, 'props', 'pageProps', 'userData');
  if (!data || asFilled(data['uniqueId']) === null) return undefined;
  return {
    user: {
      id: data['userId'],
      uniqueId: data['uniqueId'],
      nickname: data['nickName'],
      signature: data['signature'],
      verified: data['verified'],
      avatarLarger: at(data, 'coversLarger', 0) ?? at(data, 'coversMedium', 0) ?? at(data, 'covers', 0),
      privateAccount: data['isSecret'],
    },
    stats: {
      followerCount: data['fans'],
      followingCount: data['following'],
      heartCount: data['heart'],
      videoCount: data['video'],
    },
    statsV2: undefined,
    status: null,
  };
}

const PRIVATE_ACCOUNT = 10222;

function profileOf({ user, stats, statsV2, status }: Found): Record<string, unknown> {
  const uniqueId = asFilled(user['uniqueId']);
  const count = (...names: string[]): number | null =>
    first(...names.map((name) => asCount(statsV2?.[name])), ...names.map((name) => asCount(stats?.[name])));
  return {
    identity: {
      user_id: asId(user['id']),
      unique_id: uniqueId,
      nickname: asText(user['nickname']),
      bio: asText(user['signature']),
      verified: asFlag(user['verified']),
      avatar_large: first(
        asFilled(user['avatarLarger']),
        asFilled(user['avatarMedium']),
        asFilled(user['avatarThumb']),
      ),
      bio_link: first(asFilled(at(user, 'bioLink', 'link')), asFilled(user['bioLink'])),
      profile_url: uniqueId === null ? null : `https://www.tiktok.com/@${uniqueId}`,
    },
    stats: {
      follower_count: count('followerCount'),
      following_count: count('followingCount'),
      heart_count: count('heartCount', 'heart'),
      video_count: count('videoCount'),
    },
    privacy: {
      private_account:
        status === PRIVATE_ACCOUNT ? true : first(asFlag(user['privateAccount']), asFlag(user['secret'])),
      comment_setting: asWhole(user['commentSetting']),
    },
    commerce: {
      commerce_user: asFlag(at(user, 'commerceUserInfo', 'commerceUser')),
      tt_seller: asFlag(user['ttSeller']),
    },
  };
}

const GONE = new Set([10_202, 10_221, 10_223]);

/** The status of a detail without a user. */
function readRefusal(root: JsonObject): SiteOutcome | undefined {
  const detail = findObject(
    root,
    (node) =>
      asNumber(node['statusCode']) !== null &&
      asNumber(node['statusCode']) !== 0 &&
      !Object.hasOwn(node, 'pageProps') &&
      !Object.hasOwn(node, 'itemInfo'),
  );
  const status = statusOf(detail);
  if (status === null) return undefined;
  const evidence = `statusCode ${status} ${statusText(detail)}`.trim();
  if (GONE.has(status)) return failed('not_found', evidence);
  if (status === PRIVATE_ACCOUNT) return failed('private', evidence);
  if (status === 10_231) return failed('blocked', `${evidence}: not available in this region`);
  if (status === 10_000 || status === -1)
    return failed('blocked', `${evidence}: captcha or signature refused`);
  if (status === 404) return failed('not_found', evidence);
  return undefined;
}
