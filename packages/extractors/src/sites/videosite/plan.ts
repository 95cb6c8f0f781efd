import { failed, worst } from '../outcome.ts';
import { isHostOf, siteAddress } from '../read/url.ts';
import { asFilled } from '../read/value.ts';
import { apiRequest, pageRequest } from '../request.ts';
import type {
  InputFault,
  SiteInput,
  SiteOutcome,
  SitePlan,
  SiteRequest,
  SiteResponse,
  SitesConfig,
} from '../types.ts';
import { extractChannelShorts } from './channel-shorts.ts';
import { extractChannelVideos } from './channel-videos.ts';
import { movedTo } from './channel.ts';
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

type Extract = (responses: readonly SiteResponse[], input: SiteInput) => SiteOutcome;

const TABS = {
  videos: { params: 'EgZ2aWRlb3PyBgQKAjoA', playlist: 'VLUULF', extract: extractChannelVideos },
  shorts: { params: 'EgZzaG9ydHPyBgUKA5oBAA%3D%3D', playlist: 'VLUUSH', extract: extractChannelShorts },
} as const;

export function planChannel(tab: keyof typeof TABS) {
  return (input: SiteInput, config: SitesConfig): SitePlan => {
    const continuation = asFilled(input['continuation']);
    return continuation === null
      ? firstChannelPage(tab, input, config)
      : laterPage({ name: 'browse', continuation, extract: TABS[tab].extract, input, config });
  };
}

function* laterPage({
  name,
  continuation,
  extract,
  input,
  config,
}: {
  name: string;
  continuation: string;
  extract: Extract;
  input: SiteInput;
  config: SitesConfig;
}): SitePlan {
  const response = yield { request: call(name, { continuation }, config), mode: 'http' };
  const outcome = extract([response], input);
  if (outcome.outcome !== 'not_found' || !outcome.evidence.startsWith('error 400')) return outcome;
  // The token is the only argument of this call, so a malformed argument means a malformed token.
  const evidence = `the site rejects the token: ${outcome.evidence}`;
  return { outcome: 'invalid_input', field: 'continuation', evidence };
}

function* firstChannelPage(tab: keyof typeof TABS, input: SiteInput, config: SitesConfig): SitePlan {
  const { params, playlist, extract } = TABS[tab];
  let id = asFilled(input['channel_id']) ?? '';
  let response = yield { request: call('browse', { browseId: id, params }, config), mode: 'http' };
  const moved = movedTo([response]);
  if (moved !== null && moved !== id) {
    id = moved;
    response = yield { request: call('browse', { browseId: id, params }, config), mode: 'http' };
  }
  const asked = { ...input, channel_id: id };
  const outcome = extract([response], asked);
  if (isFinal(outcome)) return outcome;
  if (outcome.outcome === 'blocked' && outcome.evidence.includes('channelAgeGateRenderer')) {
    const list = { browseId: `${playlist}${id.slice(2)}` };
    const listed = extract([yield { request: call('browse', list, config), mode: 'http' }], asked);
    return listed.outcome === 'ok' ? listed : outcome;
  }
  const html = yield { request: page(`/channel/${id}/${tab}`, config), mode: 'http' };
  const second = extract([html], asked);
  return isFinal(second) ? second : worst([outcome, second]);
}

export function* planSearch(input: SiteInput, config: SitesConfig): SitePlan {
  const continuation = asFilled(input['continuation']);
  if (continuation !== null) {
    return yield* laterPage({ name: 'search', continuation, extract: extractSearch, input, config });
  }
  const query = asFilled(input['query']) ?? '';
  const outcome = extractSearch([yield { request: call('search', { query }, config), mode: 'http' }], input);
  if (isFinal(outcome)) return outcome;
  const html = yield {
    request: page(`/results?search_query=${encodeURIComponent(query)}`, config),
    mode: 'http',
  };
  const second = extractSearch([html], input);
  return isFinal(second) ? second : worst([outcome, second]);
}

export function* planVideo(input: SiteInput, config: SitesConfig): SitePlan {
  const videoId = askedVideo(input, config);
  if (videoId === undefined) return failed('unrecognised', 'no video id in the input');
  const asked = { ...input, video_id: videoId };
  const html = yield { request: page(`/watch?v=${videoId}`, config), mode: 'http' };
  const outcome = extractVideo([html], asked);
  // The site answers every video’s page with 200: another status is not about the video.
  if (isFinal(outcome) && html.status < 400) return outcome;
  const body = { videoId, contentCheckOk: true, racyCheckOk: true };
  const player = yield { request: call('player', body, config), mode: 'http' };
  const fromPlayer = extractVideo([player], asked);
  if (fromPlayer.outcome !== 'ok') return isFinal(fromPlayer) ? fromPlayer : worst([outcome, fromPlayer]);
  const next = yield { request: call('next', body, config), mode: 'http' };
  return extractVideo([player, next], asked);
}

const VIDEO_ID = /^[0-9A-Za-z_-]{11}$/;

/** The id in any of the address forms; undefined when the address has none. A single name in the path is a channel. */
export function videoIdOf(url: URL): string | undefined {
  const [kind = '', part] = url.pathname.split('/').filter(Boolean);
  const isShort = isHostOf(url.hostname, ['youtu.be']);
  const candidates = [
    kind === 'watch' ? url.searchParams.get('v') : undefined,
    /^(?:shorts|live|embed|v|watch)$/.test(kind) ? part : undefined,
    isShort ? kind : undefined,
  ];
  return candidates.find((id) => VIDEO_ID.test(id ?? '')) ?? undefined;
}

function askedVideo(input: SiteInput, config: SitesConfig): string | undefined {
  const id = asFilled(input['video_id']);
  if (id !== null) return id;
  const url = siteAddress(asFilled(input['url']) ?? '', { hosts: HOSTS, origin: config.origins.videosite });
  return url && videoIdOf(url);
}

export function checkVideo(input: SiteInput, config: SitesConfig): InputFault | undefined {
  const written = asFilled(input['url']);
  if (written === null) return undefined;
  const url = siteAddress(written, { hosts: HOSTS, origin: config.origins.videosite });
  if (!url) return { field: 'url', detail: 'is not an address of the video-sharing site' };
  const id = videoIdOf(url);
  if (id === undefined) {
    return {
      field: 'url',
      detail: 'does not contain a video id',
      hint: 'Send the address of a video: watch?v=…, /shorts/…, /live/… or the short link.',
    };
  }
  const asked = asFilled(input['video_id']);
  return asked === null || asked === id
    ? undefined
    : { field: 'url', detail: `names another video (${id}) than video_id (${asked})` };
}
