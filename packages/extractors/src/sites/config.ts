import type { SitesConfig } from './types.ts';

/** Client versions and document ids were current in July and August 2026. */
export const defaultSitesConfig: SitesConfig = {
  origins: {
    photoapp: 'https://www.instagram.com',
    videosite: 'https://www.youtube.com',
    shortvideo: 'https://www.tiktok.com',
    realty: 'https://www.zillow.com',
    pronet: 'https://www.linkedin.com',
  },
  videositeClientVersion: '2.20260708.00.00',
  photoappAppId: '936619743392459',
  photoappDocIds: {
    timeline: '9310670392322965',
    timelineNext: '27698568663128134',
    clips: '38132256686365646',
    clipsNext: '28143376935350124',
    loggedOutPosts: '27553725110923321',
  },
  userAgent:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  language: 'en-US,en;q=0.9',
};

/** Environment variables of the sites, for the table of settings. */
export const SITE_SETTINGS = {
  GLEANER_SITE_PHOTOAPP_ORIGIN: 'Origin of the photo-sharing network.',
  GLEANER_SITE_VIDEOSITE_ORIGIN: 'Origin of the video-sharing site.',
  GLEANER_SITE_SHORTVIDEO_ORIGIN: 'Origin of the short-video network.',
  GLEANER_SITE_REALTY_ORIGIN: 'Origin of the real-estate site.',
  GLEANER_SITE_PRONET_ORIGIN: 'Origin of the professional network.',
  GLEANER_SITE_VIDEOSITE_CLIENT_VERSION: 'Client version in the video site’s JSON requests.',
  GLEANER_SITE_PHOTOAPP_APP_ID: 'Web app id of the photo-sharing network.',
  GLEANER_SITE_PHOTOAPP_DOC_TIMELINE: 'Document id of the first page of posts.',
  GLEANER_SITE_PHOTOAPP_DOC_TIMELINE_NEXT: 'Document id of later pages of posts.',
  GLEANER_SITE_PHOTOAPP_DOC_CLIPS: 'Document id of the first page of reels.',
  GLEANER_SITE_PHOTOAPP_DOC_CLIPS_NEXT: 'Document id of later pages of reels.',
  GLEANER_SITE_PHOTOAPP_DOC_LOGGED_OUT_POSTS: 'Document id of the posts that guests see.',
  GLEANER_SITE_USER_AGENT: 'User-Agent of page visits.',
} as const;

/** An origin is kept as scheme, host and port; throws on anything that is not an http address. */
function toOrigin(value: string, name: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw new TypeError(`${name} must be an http or https origin, not "${value}"`);
  return url.origin;
}

/** Reads the settings of `SITE_SETTINGS`; absent ones keep their default. Throws a TypeError that names an invalid one. */
export function readSitesConfig(settings: Readonly<Record<string, string | undefined>>): SitesConfig {
  const { origins, photoappDocIds: docs, videositeClientVersion, ...rest } = defaultSitesConfig;
  const text = (name: keyof typeof SITE_SETTINGS, byDefault: string): string =>
    settings[name]?.trim() || byDefault;
  const origin = (name: keyof typeof SITE_SETTINGS, byDefault: string): string =>
    toOrigin(text(name, byDefault), name);
  return {
    origins: {
      photoapp: origin('GLEANER_SITE_PHOTOAPP_ORIGIN', origins.photoapp),
      videosite: origin('GLEANER_SITE_VIDEOSITE_ORIGIN', origins.videosite),
      shortvideo: origin('GLEANER_SITE_SHORTVIDEO_ORIGIN', origins.shortvideo),
      realty: origin('GLEANER_SITE_REALTY_ORIGIN', origins.realty),
      pronet: origin('GLEANER_SITE_PRONET_ORIGIN', origins.pronet),
    },
    videositeClientVersion: text('GLEANER_SITE_VIDEOSITE_CLIENT_VERSION', videositeClientVersion),
    photoappAppId: text('GLEANER_SITE_PHOTOAPP_APP_ID', rest.photoappAppId),
    photoappDocIds: {
      timeline: text('GLEANER_SITE_PHOTOAPP_DOC_TIMELINE', docs.timeline),
      timelineNext: text('GLEANER_SITE_PHOTOAPP_DOC_TIMELINE_NEXT', docs.timelineNext),
      clips: text('GLEANER_SITE_PHOTOAPP_DOC_CLIPS', docs.clips),
      clipsNext: text('GLEANER_SITE_PHOTOAPP_DOC_CLIPS_NEXT', docs.clipsNext),
      loggedOutPosts: text('GLEANER_SITE_PHOTOAPP_DOC_LOGGED_OUT_POSTS', docs.loggedOutPosts),
    },
    userAgent: text('GLEANER_SITE_USER_AGENT', rest.userAgent),
    language: rest.language,
  };
}
