import {
  ageGateData,
  alertData,
  channelData,
  consentPage,
  continuationData,
  continuationItem,
  type FakeShort,
  type FakeVideo,
  type FakeWatch,
  gridVideoRenderer,
  lockup,
  playerData,
  refusedPlayer,
  richItem,
  scriptPage,
  searchData,
  shortsLockup,
  videoRenderer,
  watchData,
} from '../../packages/extractors/src/sites/fixtures/videosite.ts';
import { type FakeAnswer, type FakeSite, html, json, notFound, redirect } from './fake-site.ts';

/** 65 videos in three pages of three layouts, 60 shorts in two. */
export const CHANNEL = 'UCbridgesbridgesbridges0';
export const MOVED_CHANNEL = 'UCmovedmovedmovedmoved00';
export const MISSING_CHANNEL = 'UCmissingmissingmissing0';
export const GATED_CHANNEL = 'UCgatedgatedgatedgated00';
/** Its calls fail: only the page answers. */
export const PAGE_ONLY_CHANNEL = 'UCpageonlypageonlypage00';
export const LIMITED_CHANNEL = 'UClimitedlimitedlimited0';

export const VIDEOS: FakeVideo[] = Array.from({ length: 65 }, (_unused, index) => ({
  id: `bridge${String(index).padStart(5, '0')}`,
  title: `Bridge ${index}`,
  views: index * 1000,
  age: `${index + 2} days ago`,
  length: `${index + 1}:05`,
}));

export const SHORTS: FakeShort[] = Array.from({ length: 60 }, (_unused, index) => ({
  id: `short${String(index).padStart(6, '0')}`,
  title: `Short ${index}`,
  views: index * 1000,
}));

const PAGE_SIZES = { videos: 30, shorts: 48, search: 20 };

type ListName = keyof typeof PAGE_SIZES;

/** As the site's tokens: base64 of fields, the channel in the second one. */
function tokenOf(list: ListName, offset: number, subject: string): string {
  return btoa(`\u00e2\u00a9\u0085\u00b2\u0002\u0030\u0012\u0018${subject}|${list}|${offset}`);
}

function readToken(token: string): { list: ListName; offset: number; subject: string } | undefined {
  const [, subject = '', list = '', offset = ''] =
    /\u0018(.*)\|(videos|shorts|search)\|(\d+)$/s.exec(/^[A-Za-z0-9+/=]+$/.test(token) ? atob(token) : '') ??
    [];
  return list === '' ? undefined : { list: list as ListName, offset: Number(offset), subject };
}

function videoEntry(video: FakeVideo, offset: number): object {
  if (offset === 0)
    return richItem('lockupViewModel', lockup(video, { icons: Number(video.id.slice(-1)) % 2 === 0 }));
  return offset < 60
    ? richItem('videoRenderer', videoRenderer(video))
    : { gridVideoRenderer: gridVideoRenderer(video) };
}

function entriesOf(list: ListName, offset: number, subject: string): object[] {
  const size = PAGE_SIZES[list];
  const all = list === 'shorts' ? SHORTS : VIDEOS;
  const rows =
    list === 'shorts'
      ? SHORTS.slice(offset, offset + size).map((short) =>
          richItem('shortsLockupViewModel', shortsLockup(short)),
        )
      : VIDEOS.slice(offset, offset + size).map((video) =>
          list === 'search' ? { videoRenderer: videoRenderer(video) } : videoEntry(video, offset),
        );
  const hasNext = offset + size < all.length;
  return hasNext && list !== 'search'
    ? [...rows, continuationItem(tokenOf(list, offset + size, subject))]
    : rows;
}

function searchToken(offset: number, query: string): string | undefined {
  return offset < VIDEOS.length ? tokenOf('search', offset, query) : undefined;
}

function searchPage(query: string): object {
  return query.includes('nothing')
    ? searchData([{ backgroundPromoRenderer: { title: { simpleText: 'No results found' } } }], undefined)
    : searchData([{ adSlotRenderer: {} }, ...entriesOf('search', 0, query)], searchToken(20, query));
}

function channelPage(channelId: string, tabName: 'videos' | 'shorts'): object {
  return channelData({ channelId, tabName, entries: entriesOf(tabName, 0, channelId) });
}

interface Call {
  browseId?: string;
  params?: string;
  continuation?: string;
  query?: string;
  videoId?: string;
}

function readCall(body: string): Call {
  try {
    return JSON.parse(body) as Call;
  } catch {
    return {};
  }
}

function continued(token: string): FakeAnswer {
  const found = readToken(token);
  if (!found) return json({ error: { code: 400, status: 'INVALID_ARGUMENT', message: 'bad token' } }, 400);
  const { list, offset, subject } = found;
  const entries = entriesOf(list, offset, subject);
  if (list !== 'search') return json(continuationData(entries));
  const next = searchToken(offset + PAGE_SIZES.search, subject);
  const sections = [
    { itemSectionRenderer: { contents: entries } },
    ...(next === undefined ? [] : [continuationItem(next)]),
  ];
  return json(continuationData(sections, 'Commands'));
}

function browse({ browseId = '', params = '', continuation }: Call): FakeAnswer {
  if (continuation !== undefined) return continued(continuation);
  if (browseId === PAGE_ONLY_CHANNEL) return json({ responseContext: {} });
  if (browseId === LIMITED_CHANNEL) return json({ error: { code: 429, status: 'RESOURCE_EXHAUSTED' } }, 429);
  if (browseId === GATED_CHANNEL) return json(ageGateData());
  if (browseId === `VLUULF${GATED_CHANNEL.slice(2)}`) return json(channelPage(GATED_CHANNEL, 'videos'));
  if (browseId === MOVED_CHANNEL) {
    return json({
      responseContext: {},
      onResponseReceivedActions: [
        { navigateAction: { endpoint: { browseEndpoint: { browseId: CHANNEL } } } },
      ],
    });
  }
  if (browseId !== CHANNEL) return json(alertData('This channel does not exist.'));
  return json(channelPage(CHANNEL, params.startsWith('EgZzaG9ydHP') ? 'shorts' : 'videos'));
}

export const PRIVATE_VIDEO = 'private0001';
export const MISSING_VIDEO = 'missing0001';
/** Its page asks for a sign-in, its call answers. */
export const BOT_CHECKED_VIDEO = 'botcheck001';

export function watchOf(id: string): FakeWatch | undefined {
  const video =
    VIDEOS.find((candidate) => candidate.id === id) ?? (id === BOT_CHECKED_VIDEO ? VIDEOS[1] : undefined);
  return (
    video && {
      ...video,
      id,
      channel: 'Span & Load',
      channelId: CHANNEL,
      description: 'Wind, steel and resonance.',
      seconds: 65,
      likes: 1804,
      comments: '212',
      published: '2026-05-04T07:00:05-07:00',
      tags: ['bridge'],
      category: 'Science & Technology',
    }
  );
}

function playerOf(id: string): object {
  if (id === PRIVATE_VIDEO)
    return refusedPlayer('LOGIN_REQUIRED', 'This is a private video. Please sign in.');
  const watch = watchOf(id);
  return watch ? playerData(watch) : refusedPlayer('ERROR', 'Video unavailable');
}

function watchPage(id: string): FakeAnswer {
  const watch = watchOf(id);
  const player =
    id === BOT_CHECKED_VIDEO
      ? refusedPlayer('LOGIN_REQUIRED', 'Sign in to confirm you’re not a bot')
      : playerOf(id);
  return html(
    scriptPage({
      ytInitialPlayerResponse: player,
      ytInitialData: watch ? watchData(watch) : { responseContext: {} },
    }),
  );
}

function call(name: string, body: Call): FakeAnswer {
  if (name === 'browse') return browse(body);
  if (name === 'search') {
    if (body.continuation !== undefined) return continued(body.continuation);
    return body.query === 'calls refused'
      ? json({ error: { code: 403, status: 'PERMISSION_DENIED' } }, 403)
      : json(searchPage(body.query ?? ''));
  }
  if (name === 'player') return json(playerOf(body.videoId ?? ''));
  const watch = watchOf(body.videoId ?? '');
  return name === 'next' && watch
    ? json(watchData(watch))
    : json({ error: { code: 404, status: 'NOT_FOUND' } }, 404);
}

/** The video-sharing site: pages behind the consent wall, calls without it. */
export const videositeFake: FakeSite = ({ method, path, query, cookies, body }) => {
  const name = /^\/youtubei\/v1\/(\w+)$/.exec(path)?.[1];
  if (name !== undefined && method === 'POST') return call(name, readCall(body));
  if (path === '/consent/m') return html(consentPage());
  if (cookies['SOCS'] === undefined) return redirect(`/consent/m?continue=${encodeURIComponent(path)}`);
  const [, channelId = '', tab = ''] = /^\/channel\/(UC[\w-]{22})\/(videos|shorts)$/.exec(path) ?? [];
  if (channelId === CHANNEL || channelId === PAGE_ONLY_CHANNEL) {
    return html(
      scriptPage({ ytInitialData: channelPage(channelId, tab === 'shorts' ? 'shorts' : 'videos') }),
    );
  }
  if (channelId === LIMITED_CHANNEL) return html('<html><title>Sorry…</title>unusual traffic</html>', 429);
  if (path === '/results')
    return html(scriptPage({ ytInitialData: searchPage(query.get('search_query') ?? '') }));
  if (path === '/watch') return watchPage(query.get('v') ?? '');
  return notFound('404 Not Found');
};
