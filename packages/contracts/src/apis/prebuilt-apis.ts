import type { ApiId } from '../values/index.ts';
import { photoappPosts, photoappProfile, photoappReels } from './photoapp.ts';
import type { PrebuiltApi } from './prebuilt-api.ts';
import { pronetPost } from './pronet.ts';
import { realtyDetails, realtySearch } from './realty.ts';
import { shortvideoProfile, shortvideoVideo } from './shortvideo.ts';
import {
  videositeChannelShorts,
  videositeChannelVideos,
  videositeSearch,
  videositeVideo,
} from './videosite.ts';

/** Every prebuilt API by its id. */
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
} as const satisfies Record<ApiId, PrebuiltApi>;
