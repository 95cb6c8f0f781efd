// Page: /@name.
// Data: __UNIVERSAL_DATA_FOR_REHYDRATION__ → webapp.user-detail; SIGI_STATE → UserModule; __NEXT_DATA__ → userInfo.
// Seen: Jan 2021 to May 2026.
import {
  type JsonObject,
  at,
  countAt,
  filledAt,
  first,
  flagAt,
  idAt,
  numberAt,
  objectAt,
  textAt,
  wholeAt,
  findObject,
} from '../read/value.ts';
import type { SiteResponses, SiteInput, SiteOutcome } from '../types.ts';
import { firstReadable, ok } from '../outcome.ts';
import { isObject } from '@gleaner/contracts/values';
import { PRIVATE_ACCOUNT, readResponse, refusalOf, scopeOf, statusOf } from './documents.ts';

interface Found {
  user: JsonObject;
  /** Its counters, the newest kind first. */
  stats: unknown[];
  status: number | null;
}

export function extractProfile(responses: SiteResponses, input: SiteInput): SiteOutcome {
  return firstReadable(responses, (response) =>
    readResponse(response, (root) => {
      const found = findUser(root, input);
      return found ? ok(profileOf(found)) : readRefusal(root);
    }),
  );
}

function findUser(root: JsonObject, input: SiteInput): Found | undefined {
  const scope = scopeOf(root);
  const details = Object.entries(scope).flatMap(([key, value]) =>
    /user.?detail/.test(key) && isObject(value) ? [value] : [],
  );
  for (const detail of [...details, objectAt(root, 'props.pageProps') ?? {}, root]) {
    const info = objectAt(detail, 'userInfo');
    const user = objectAt(info, 'user');
    if (!user || !isUser(user)) continue;
    return { user, stats: [at(info, 'statsV2'), at(info, 'stats')], status: statusOf(detail) };
  }
  return findStateUser(root, input) ?? findOldUser(root);
}

function isUser(user: JsonObject): boolean {
  return filledAt(user, 'uniqueId') !== null && idAt(user, 'id') !== null;
}

/** SIGI_STATE keeps users and their counters by name. */
function findStateUser(root: JsonObject, input: SiteInput): Found | undefined {
  const users = objectAt(root, 'UserModule.users');
  const isVideo = isObject(root['VideoPage']) && !isObject(root['UserPage']);
  if (!users || isVideo) return undefined;
  const wanted = (
    filledAt(root, 'UserPage.uniqueId') ?? filledAt(input, 'username')?.replace(/^@/, '')
  )?.toLowerCase();
  const [name, user] =
    Object.entries(users).find(([key]) => wanted === undefined || key.toLowerCase() === wanted) ?? [];
  if (name === undefined || !isObject(user) || !isUser(user)) return undefined;
  return {
    user,
    stats: ['statsV2', 'stats'].map((kind) => objectAt(root, `UserModule.${kind}`)?.[name]),
    status: statusOf(root['UserPage']),
  };
}

/** Early 2020, other names for the same fields. */
function findOldUser(root: JsonObject): Found | undefined {
  const data = objectAt(root, 'props.pageProps.userData');
  if (!data || filledAt(data, 'uniqueId') === null) return undefined;
  return {
    user: {
      id: data['userId'],
      uniqueId: data['uniqueId'],
      nickname: data['nickName'],
      signature: data['signature'],
      verified: data['verified'],
      avatarLarger: at(data, 'coversLarger.0') ?? at(data, 'coversMedium.0') ?? at(data, 'covers.0'),
      privateAccount: data['isSecret'],
    },
    stats: [
      {
        followerCount: data['fans'],
        followingCount: data['following'],
        heartCount: data['heart'],
        videoCount: data['video'],
      },
    ],
    status: null,
  };
}

function profileOf({ user, stats, status }: Found): JsonObject {
  const uniqueId = filledAt(user, 'uniqueId');
  const count = (...names: string[]): number | null => first(...stats.map((of) => countAt(of, ...names)));
  return {
    identity: {
      user_id: idAt(user, 'id'),
      unique_id: uniqueId,
      nickname: textAt(user, 'nickname'),
      bio: textAt(user, 'signature'),
      verified: flagAt(user, 'verified'),
      avatar_large: filledAt(user, 'avatarLarger', 'avatarMedium', 'avatarThumb'),
      bio_link: filledAt(user, 'bioLink.link', 'bioLink'),
      profile_url: uniqueId === null ? null : `https://www.tiktok.com/@${uniqueId}`,
    },
    stats: {
      follower_count: count('followerCount'),
      following_count: count('followingCount'),
      heart_count: count('heartCount', 'heart'),
      video_count: count('videoCount'),
    },
    privacy: {
      private_account: status === PRIVATE_ACCOUNT ? true : flagAt(user, 'privateAccount', 'secret'),
      comment_setting: wholeAt(user, 'commentSetting'),
    },
    commerce: {
      commerce_user: flagAt(user, 'commerceUserInfo.commerceUser'),
      tt_seller: flagAt(user, 'ttSeller'),
    },
  };
}

/** The status of a detail without a user. */
function readRefusal(root: JsonObject): SiteOutcome | undefined {
  const detail = findObject(
    root,
    (node) =>
      (numberAt(node, 'statusCode') ?? 0) !== 0 &&
      !Object.hasOwn(node, 'pageProps') &&
      !Object.hasOwn(node, 'itemInfo'),
  );
  return refusalOf(detail);
}
