import { photoappPosts, photoappProfile, photoappReels } from './photoapp.ts';
import { pronetPost } from './pronet.ts';
import { realtyDetails, realtySearch } from './realty.ts';
import { shortvideoProfile, shortvideoVideo } from './shortvideo.ts';
import {
  videositeChannelShorts,
  videositeChannelVideos,
  videositeSearch,
  videositeVideo,
} from './videosite.ts';

/** Every prebuilt API by its id, in the order of the catalogue. */
export const PREBUILT_APIS = {
  'photoapp-profile': photoappProfile,
  'photoapp-reels': photoappReels,
  'photoapp-posts': photoappPosts,
  'videosite-channel-videos': videositeChannelVideos,
  'videosite-channel-shorts': videositeChannelShorts,
  'videosite-search': videositeSearch,
  'videosite-video': videositeVideo,
  'shortvideo-profile': shortvideoProfile,
  'shortvideo-video': shortvideoVideo,
  'realty-search': realtySearch,
  'realty-details': realtyDetails,
  'pronet-post': pronetPost,
} as const;

export type ApiId = keyof typeof PREBUILT_APIS;

export const API_IDS = Object.freeze(Object.keys(PREBUILT_APIS).filter((id): id is ApiId => isApiId(id)));

export function isApiId(id: string): id is ApiId {
  return Object.hasOwn(PREBUILT_APIS, id);
}
