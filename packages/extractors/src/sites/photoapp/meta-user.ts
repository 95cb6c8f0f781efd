import { cutText } from '@gleaner/contracts/text';
import { linkOf, metaOf } from '../read/html.ts';
import { readCount } from '../read/text.ts';
import { withoutQuery } from '../read/url.ts';
import { asFilled, first } from '../read/value.ts';
import type { SiteResponse } from '../types.ts';
import type { UserView } from './user-view.ts';

const COUNTS = /(?<![\d.,])([\d.,]+[KMB]?) Followers, ([\d.,]+[KMB]?) Following, ([\d.,]+[KMB]?) Posts/i;

type Counts = [followers: number | null, following: number | null, posts: number | null];

/** The three counts before the dash. Other languages have the same order, but their scaled counts stay unknown. */
function readCounts(description: string): Counts | undefined {
  const english = COUNTS.exec(description);
  if (english)
    return [english[1], english[2], english[3]].map((text) =>
      readCount((text ?? '').toUpperCase()),
    ) as Counts;
  const head = description.split(/ [-–—] /, 1)[0] ?? '';
  const numbers = [...head.matchAll(/(\d[\d.,\u00A0\u202F]*)\s?(\p{L}*)/gu)];
  if (numbers.length !== 3 || !head.includes(',')) return undefined;
  return numbers.map(([, digits = '', word = '']) => readGrouped(digits, word)) as Counts;
}

/** Letters that scale a number in some language. */
const SCALING =
  /^(?:k|m|b|g|mn|mln|mil|mio|mrd|tys|tis|tsd|rb|jt|bin|tn|t|e|n|tr|тыс|млн|млрд)$|^(?:만|천|억|万|萬|億|亿|千)/iu;

function readGrouped(digits: string, word: string): number | null {
  const plain = digits.replace(/(?<![.,\u00A0\u202F])[.,\u00A0\u202F]+$/, '');
  if (SCALING.test(word) || !/^\d{1,3}(?:[.,\u00A0\u202F]\d{3})*$|^\d+$/.test(plain)) return null;
  return Number(plain.replaceAll(/\D/g, ''));
}

const MAX_DESCRIPTION = 3000;

/** The meta elements of the profile page, in English. */
export function metaUser({ body, url, finalUrl }: SiteResponse): UserView | undefined {
  const metas = metaOf(body);
  const description = cutText(metas.get('description') ?? '', MAX_DESCRIPTION);
  const shared = cutText(metas.get('og:description') ?? '', MAX_DESCRIPTION);
  const counts = readCounts(shared) ?? readCounts(description);
  if (!counts) return undefined;
  const title = cutText(metas.get('og:title') ?? '', 500);
  const named = /^(.*?)\s*\(@([A-Za-z0-9._]+)\)/s.exec(title);
  const inText =
    /from (.*?) \(@([A-Za-z0-9._]+)\)/s.exec(shared) ?? /- (.*?) \(@([A-Za-z0-9._]+)\)/s.exec(description);
  const address = metas.get('og:url') ?? linkOf(body, 'canonical') ?? finalUrl ?? url;
  const inUrl = /^https?:\/\/[^/]+\/([A-Za-z0-9._]+)\/?$/.exec(withoutQuery(address))?.[1];
  return {
    username: first(named?.[2], inText?.[2], inUrl),
    full_name: first(named?.[1]?.trim(), inText?.[1]?.trim()),
    id: /profile_id\\?(?:"|&quot;)?\s*:\s*\\?(?:"|&quot;)(\d+)/.exec(body)?.[1] ?? null,
    biography: quotedBiography(description),
    profile_pic_url: asFilled(metas.get('og:image')),
    followers: counts[0],
    following: counts[1],
    posts: counts[2],
    isData: false,
  };
}

/** `… on Instagram: "biography"` */
function quotedBiography(description: string): string | null {
  const start = /on Instagram:\s*["“]/i.exec(description);
  if (!start) return null;
  return description
    .slice(start.index + start[0].length)
    .trimEnd()
    .replace(/["”]$/, '');
}
