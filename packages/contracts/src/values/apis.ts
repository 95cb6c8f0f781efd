import { isOneOf } from './is-one-of.ts';

/** The neutral names of the five sites. */
export const SITE_NAMES = ['photoapp', 'videosite', 'shortvideo', 'realty', 'pronet'] as const;
export type SiteName = (typeof SITE_NAMES)[number];

/** The prebuilt APIs, in the order of the catalogue. */
export const API_IDS = [
  'photoapp-profile',
  'photoapp-reels',
  'photoapp-posts',
  'videosite-channel-videos',
  'videosite-channel-shorts',
  'videosite-search',
  'videosite-video',
  'shortvideo-profile',
  'shortvideo-video',
  'realty-search',
  'realty-details',
  'pronet-post',
] as const;
export type ApiId = (typeof API_IDS)[number];

export function isApiId(id: string): id is ApiId {
  return isOneOf(API_IDS, id);
}
