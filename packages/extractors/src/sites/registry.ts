import type { ApiId } from '@gleaner/contracts';
import { failed } from './outcome.ts';
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
import { extractChannelShorts } from './videosite/channel-shorts.ts';
import { extractChannelVideos } from './videosite/channel-videos.ts';
import { checkVideo, planChannel, planSearch, planVideo } from './videosite/plan.ts';
import { extractSearch } from './videosite/search.ts';
import { extractVideo } from './videosite/video.ts';

const unbuilt = (id: ApiId): Site => ({
  id,
  extract: () => failed('unrecognised', 'not built yet'),
  // oxlint-disable-next-line require-yield
  plan: function* () {
    return failed('unrecognised', 'not built yet');
  },
  check: anything,
});

const anything = (): undefined => undefined;

/** Every prebuilt API: how its responses are read and what has to be asked for. */
export const sites: Record<ApiId, Site> = {
  'videosite-channel-videos': {
    id: 'videosite-channel-videos',
    extract: extractChannelVideos,
    plan: planChannel('videos'),
    check: anything,
  },
  'videosite-channel-shorts': {
    id: 'videosite-channel-shorts',
    extract: extractChannelShorts,
    plan: planChannel('shorts'),
    check: anything,
  },
  'videosite-search': {
    id: 'videosite-search',
    extract: extractSearch,
    plan: planSearch,
    check: anything,
  },
  'photoapp-profile': unbuilt('photoapp-profile'),
  'photoapp-reels': unbuilt('photoapp-reels'),
  'photoapp-posts': unbuilt('photoapp-posts'),
  'shortvideo-profile': {
    id: 'shortvideo-profile',
    extract: extractShortProfile,
    plan: planShortProfile,
    check: anything,
  },
  'shortvideo-video': {
    id: 'shortvideo-video',
    extract: extractShortVideo,
    plan: planShortVideo,
    check: checkShortVideo,
  },
  'realty-search': {
    id: 'realty-search',
    extract: extractRealtySearch,
    plan: planRealtySearch,
    check: checkRealtySearch,
  },
  'realty-details': { id: 'realty-details', extract: extractDetails, plan: planDetails, check: checkDetails },
  'pronet-post': { id: 'pronet-post', extract: extractPost, plan: planPost, check: checkPost },
  'videosite-video': { id: 'videosite-video', extract: extractVideo, plan: planVideo, check: checkVideo },
};
