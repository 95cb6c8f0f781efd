import { failed, worst } from '../outcome.ts';
import { isHostOf, siteAddress } from '../read/url.ts';
import { filledAt } from '../read/value.ts';
import { apiRequest, pageRequest } from '../request.ts';
import type {
  InputFault,
  Site,
  SiteInput,
  SiteOutcome,
  SitePlan,
  SiteReader,
  SiteRequest,
  SitesConfig,
} from '../types.ts';
import { extractChannelShorts, extractChannelVideos, movedTo } from './channel-tabs.ts';
import { extractSearch } from './search.ts';
import { extractVideo } from './video.ts';

/** Rejects the optional cookies of the consent page. */
const COOKIES = { SOCS: 'CAI', PREF: 'hl=en&tz=UTC' };

const HOSTS = ['youtube.com', 'youtu.be', 'youtube-nocookie.com'];

function page(path: string, config: SitesConfig): SiteRequest {
  const url = new URL(path, config.origins.videosite);
  url.searchParams.set('hl', 'en');
  url.searchParams.set('gl', 'US');
  url.searchParams.set('ucbcb', '1');
  return pageRequest(url.href, config, { cookies: COOKIES });
}

function call(name: string, body: Record<string, unknown>, config: SitesConfig): SiteRequest {
  const { origins, videositeClientVersion: version } = config;
  return apiRequest(
    {
      method: 'POST',
      url: `${origins.videosite}/youtubei/v1/${name}?prettyPrint=false`,
      headers: {
        'content-type': 'application/json',
        origin: origins.videosite,
        referer: `${origins.videosite}/`,
        'x-youtube-client-name': '1',
        'x-youtube-client-version': version,
      },
      cookies: COOKIES,
      body: JSON.stringify({
        context: {
          client: {
            clientName: 'WEB',
            clientVersion: version,
            hl: 'en',
            gl: 'US',
            platform: 'DESKTOP',
            utcOffsetMinutes: 0,
          },
          request: { useSsl: true, internalExperimentFlags: [] },
          user: { lockedSafetyMode: false },
        },
        ...body,
      }),
    },
    config,
  );
}

/** An outcome about the target ends the plan. An outcome about our visit makes it try another source. */
function isFinal(outcome: SiteOutcome): boolean {
  return outcome.outcome === 'ok' || outcome.outcome === 'private' || outcome.outcome === 'not_found';
}

const TABS = {
  videos: { params: 'EgZ2aWRlb3PyBgQKAjoA', playlist: 'VLUULF', extract: extractChannelVideos },
  shorts: { params: 'EgZzaG9ydHPyBgUKA5oBAA%3D%3D', playlist: 'VLUUSH', extract: extractChannelShorts },
} as const;

function planChannel(tab: keyof typeof TABS) {
  return (input: SiteInput, config: SitesConfig): SitePlan => {
    const continuation = filledAt(input, 'continuation');
    return continuation === null
      ? firstChannelPage(tab, input, config)
      : laterPage('browse', continuation, TABS[tab].extract, input, config);
  };
}

function* laterPage(
  name: 'browse' | 'search',
  continuation: string,
  extract: SiteReader,
  input: SiteInput,
  config: SitesConfig,
): SitePlan {
  const response = yield call(name, { continuation }, config);
  const outcome = extract([response], input);
  if (outcome.outcome !== 'not_found' || !outcome.evidence.startsWith('error 400')) return outcome;
  // The token is the only argument of this call, so a malformed argument means a malformed token.
  const evidence = `the site rejects the token: ${outcome.evidence}`;
  return { outcome: 'invalid_input', field: 'continuation', evidence };
}

/** The outcome of a call, or of the page when the call's is not about the target. */
function* orPage(
  outcome: SiteOutcome,
  path: string,
  extract: SiteReader,
  input: SiteInput,
  config: SitesConfig,
): SitePlan {
  if (isFinal(outcome)) return outcome;
  const second = extract([yield page(path, config)], input);
  return isFinal(second) ? second : worst([outcome, second]);
}

function* firstChannelPage(tab: keyof typeof TABS, input: SiteInput, config: SitesConfig): SitePlan {
  const { params, playlist, extract } = TABS[tab];
  let id = filledAt(input, 'channel_id') ?? '';
  let response = yield call('browse', { browseId: id, params }, config);
  const moved = movedTo([response]);
  if (moved !== null && moved !== id) {
    id = moved;
    response = yield call('browse', { browseId: id, params }, config);
  }
  const asked = { ...input, channel_id: id };
  const outcome = extract([response], asked);
  if (outcome.outcome === 'blocked' && outcome.evidence.includes('channelAgeGateRenderer')) {
    const list = { browseId: `${playlist}${id.slice(2)}` };
    const listed = extract([yield call('browse', list, config)], asked);
    return listed.outcome === 'ok' ? listed : outcome;
  }
  return yield* orPage(outcome, `/channel/${id}/${tab}`, extract, asked, config);
}

function* planSearch(input: SiteInput, config: SitesConfig): SitePlan {
  const continuation = filledAt(input, 'continuation');
  if (continuation !== null) {
    return yield* laterPage('search', continuation, extractSearch, input, config);
  }
  const query = filledAt(input, 'query') ?? '';
  const outcome = extractSearch([yield call('search', { query }, config)], input);
  const path = `/results?search_query=${encodeURIComponent(query)}`;
  return yield* orPage(outcome, path, extractSearch, input, config);
}

function* planVideo(input: SiteInput, config: SitesConfig): SitePlan {
  const url = addressOf(input, config);
  const videoId = filledAt(input, 'video_id') ?? (url && videoIdOf(url));
  if (videoId === undefined) return failed('unrecognised', 'no video id in the input');
  const asked = { ...input, video_id: videoId };
  const html = yield page(`/watch?v=${videoId}`, config);
  const outcome = extractVideo([html], asked);
  // The site answers every video’s page with 200: another status is not about the video.
  if (isFinal(outcome) && html.status < 400) return outcome;
  const body = { videoId, contentCheckOk: true, racyCheckOk: true };
  const player = yield call('player', body, config);
  const fromPlayer = extractVideo([player], asked);
  if (fromPlayer.outcome !== 'ok') return isFinal(fromPlayer) ? fromPlayer : worst([outcome, fromPlayer]);
  const next = yield call('next', body, config);
  return extractVideo([player, next], asked);
}

const VIDEO_ID = /^[0-9A-Za-z_-]{11}$/;

/** The id in any of the address forms; undefined when the address has none. A single name in the path is a channel. */
function videoIdOf(url: URL): string | undefined {
  const [kind = '', part] = url.pathname.split('/').filter(Boolean);
  const isShort = isHostOf(url.hostname, ['youtu.be']);
  const candidates = [
    kind === 'watch' ? url.searchParams.get('v') : undefined,
    /^(?:shorts|live|embed|v|watch)$/.test(kind) ? part : undefined,
    isShort ? kind : undefined,
  ];
  return candidates.find((id) => VIDEO_ID.test(id ?? '')) ?? undefined;
}

function addressOf(input: SiteInput, config: SitesConfig): URL | undefined {
  return siteAddress(filledAt(input, 'url') ?? '', { hosts: HOSTS, origin: config.origins.videosite });
}

function checkVideo(input: SiteInput, config: SitesConfig): InputFault | undefined {
  if (filledAt(input, 'url') === null) return undefined;
  const url = addressOf(input, config);
  if (!url) return { field: 'url', detail: 'is not an address of the video-sharing site' };
  const id = videoIdOf(url);
  if (id === undefined) {
    return {
      field: 'url',
      detail: 'does not contain a video id',
      hint: 'Send the address of a video: watch?v=…, /shorts/…, /live/… or the short link.',
    };
  }
  const asked = filledAt(input, 'video_id');
  return asked === null || asked === id
    ? undefined
    : { field: 'url', detail: `names another video (${id}) than video_id (${asked})` };
}

export const VIDEOSITE = {
  'videosite-channel-videos': { extract: extractChannelVideos, plan: planChannel('videos') },
  'videosite-channel-shorts': { extract: extractChannelShorts, plan: planChannel('shorts') },
  'videosite-search': { extract: extractSearch, plan: planSearch },
  'videosite-video': { extract: extractVideo, plan: planVideo, check: checkVideo },
} satisfies Record<string, Site>;
