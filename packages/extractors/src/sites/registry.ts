import type { ApiId } from '@gleaner/contracts';
import { planPosts } from './photoapp/plan-posts.ts';
import { planProfile as planPhotoProfile } from './photoapp/plan-profile.ts';
import { planReels } from './photoapp/plan-reels.ts';
import { extractPosts } from './photoapp/posts.ts';
import { extractProfile as extractPhotoProfile } from './photoapp/profile.ts';
import { extractReels } from './photoapp/reels.ts';
import { checkUsername } from './read/name.ts';
import type { Site } from './types.ts';
import {
  checkVideo as checkShortVideo,
  planProfile as planShortProfile,
  planVideo as planShortVideo,
} from './shortvideo/plan.ts';
import { checkPost, planPost } from './pronet/plan.ts';
import { extractPost } from './pronet/post.ts';
import { extractDetails } from './realty/details.ts';
import {
  checkDetails,
  checkSearch as checkRealtySearch,
  planDetails,
  planSearch as planRealtySearch,
} from './realty/plan.ts';
import { extractSearch as extractRealtySearch } from './realty/search.ts';
import { extractProfile as extractShortProfile } from './shortvideo/profile.ts';
import { extractVideo as extractShortVideo } from './shortvideo/video.ts';
import { extractChannelShorts, extractChannelVideos } from './videosite/channel-tabs.ts';
import { checkVideo, planChannel, planSearch, planVideo } from './videosite/plan.ts';
import { extractSearch } from './videosite/search.ts';
import { extractVideo } from './videosite/video.ts';

/** Every prebuilt API, with its reader of responses and its plan of requests. */
export const sites: Record<ApiId, Site> = {
  'videosite-channel-videos': { extract: extractChannelVideos, plan: planChannel('videos') },
  'videosite-channel-shorts': { extract: extractChannelShorts, plan: planChannel('shorts') },
  'videosite-search': { extract: extractSearch, plan: planSearch },
  'videosite-video': { extract: extractVideo, plan: planVideo, check: checkVideo },
  'photoapp-profile': { extract: extractPhotoProfile, plan: planPhotoProfile, check: checkUsername },
  'photoapp-reels': { extract: extractReels, plan: planReels, check: checkUsername },
  'photoapp-posts': { extract: extractPosts, plan: planPosts, check: checkUsername },
  'shortvideo-profile': { extract: extractShortProfile, plan: planShortProfile, check: checkUsername },
  'shortvideo-video': { extract: extractShortVideo, plan: planShortVideo, check: checkShortVideo },
  'realty-search': { extract: extractRealtySearch, plan: planRealtySearch, check: checkRealtySearch },
  'realty-details': { extract: extractDetails, plan: planDetails, check: checkDetails },
  'pronet-post': { extract: extractPost, plan: planPost, check: checkPost },
};
