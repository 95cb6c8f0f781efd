import { API_IDS, type ApiId, PREBUILT_APIS } from '@gleaner/contracts';
import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { response } from './fixtures/page.ts';
import * as photoapp from './fixtures/photoapp.ts';
import * as pronet from './fixtures/pronet.ts';
import * as realty from './fixtures/realty.ts';
import * as shortvideo from './fixtures/shortvideo.ts';
import * as videosite from './fixtures/videosite.ts';
import { extractSite, sites } from './index.ts';
import type { SiteOutcome } from './types.ts';

const video = { id: 'aB3dE5gH7jK', title: 'Bridge', views: 26000, age: '3 days ago', length: '9:36' };
const watch = {
  ...video,
  channel: 'S',
  channelId: 'UCexampleexampleexample0',
  description: 'd',
  seconds: 576,
  likes: 1,
  comments: '2',
  published: '2026-05-04',
  tags: ['t'],
  category: 'c',
};
const info = { has_next_page: true, end_cursor: 'x' };
const posts = [photoapp.post(1), photoapp.post(3)];

const pages: Record<ApiId, (string | object)[]> = {
  'photoapp-profile': [
    photoapp.relayPage(posts.map(photoapp.guestNode), info),
    { data: { user: photoapp.webUser(posts.map(photoapp.edgeNode), info) } },
    photoapp.metaOnlyPage(),
    photoapp.embedPage(posts.map(photoapp.edgeNode)),
  ],
  'photoapp-posts': [
    {
      data: {
        xdt_api__v1__feed__user_timeline_graphql_connection: photoapp.connection(
          posts.map(photoapp.mediaNode),
          info,
        ),
      },
    },
  ],
  'photoapp-reels': [
    {
      items: posts.map((post) => ({ media: photoapp.mediaNode(post) })),
      paging_info: { max_id: 'x', more_available: true },
    },
  ],
  'videosite-channel-videos': [
    videosite.scriptPage({
      ytInitialData: videosite.channelData({
        channelId: watch.channelId,
        tabName: 'videos',
        entries: [
          videosite.richItem('lockupViewModel', videosite.lockup(video)),
          videosite.richItem('videoRenderer', videosite.videoRenderer(video)),
          videosite.continuationItem('t'),
        ],
      }),
    }),
  ],
  'videosite-channel-shorts': [
    videosite.channelData({
      channelId: watch.channelId,
      tabName: 'shorts',
      entries: [
        videosite.richItem('shortsLockupViewModel', videosite.shortsLockup(video)),
        videosite.richItem('reelItemRenderer', videosite.reelItem(video)),
      ],
    }),
  ],
  'videosite-search': [
    videosite.searchData(
      [{ videoRenderer: videosite.videoRenderer(video) }, { lockupViewModel: videosite.lockup(video) }],
      't',
    ),
  ],
  'videosite-video': [
    videosite.scriptPage({
      ytInitialPlayerResponse: videosite.playerData(watch),
      ytInitialData: videosite.watchData(watch),
    }),
    videosite.playerData(watch),
  ],
  'shortvideo-profile': [shortvideo.universalPage(shortvideo.profileScope(shortvideo.shortUser()))],
  'shortvideo-video': [shortvideo.universalPage(shortvideo.videoScope(shortvideo.shortItem()))],
  'realty-search': [
    realty.searchPage({ rows: [realty.searchRow(1), realty.buildingRow()], total: 2, nextUrl: '/x/2_p/' }),
    realty.cardsPage(),
  ],
  'realty-details': [realty.detailPage({ 'ForSale{}': realty.property() }), realty.buildingPage()],
  'pronet-post': [
    pronet.postPage(pronet.postingLd('SocialMediaPosting')),
    pronet.articlePage(),
    pronet.guestArticlePage(),
    pronet.oldArticlePage(),
  ],
};

const rounds = inject('isLong') ? 5_000 : 150;
const options = { numRuns: rounds, seed: 20_261_121, endOnFailure: true };

/** The reader itself, without the catch around it: it must not throw. */
function read(id: ApiId, body: string): SiteOutcome {
  return sites[id].extract([response(body)], {});
}

/** Data matches the schema exactly; every other outcome has a reason. */
function isSound(id: ApiId, outcome: SiteOutcome): boolean {
  return outcome.outcome === 'ok'
    ? PREBUILT_APIS[id].output.strict().safeParse(outcome.data).success
    : outcome.evidence !== '';
}

const JUNK: unknown[] = [null, 7, -1, 1.5, 'x', '', [], {}, true, [null], { a: null }];

/** The same JSON with some members gone or turned into something else, as the numbers say. */
function mutate(value: unknown, next: () => number): unknown {
  if (Array.isArray(value)) return value.filter(() => next() % 16 !== 0).map((entry) => mutate(entry, next));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
    const dice = next() % 24;
    if (dice === 0) return [];
    return [[key, dice === 1 ? JUNK[next() % JUNK.length] : mutate(member, next)]];
  });
  return Object.fromEntries(entries);
}

function textOf(page: string | object): string {
  return typeof page === 'string' ? page : JSON.stringify(page);
}

describe.each(API_IDS.map((id) => [id]))('%s', (id) => {
  const bodies = pages[id].map(textOf);

  it('reads its own pages', () => {
    for (const body of bodies) expect(read(id, body).outcome).toBe('ok');
  });

  it('returns a valid outcome for a page that is truncated anywhere', () => {
    fc.assert(
      fc.property(fc.constantFrom(...bodies), fc.double({ min: 0, max: 1, noNaN: true }), (body, share) =>
        isSound(id, read(id, body.slice(0, Math.floor(body.length * share)))),
      ),
      options,
    );
  });

  it('returns a valid outcome for a page with a part missing', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...bodies),
        fc.nat(),
        fc.integer({ min: 1, max: 400 }),
        (body, at, length) => {
          const start = at % body.length;
          return isSound(id, read(id, body.slice(0, start) + body.slice(start + length)));
        },
      ),
      options,
    );
  });

  it('returns a valid outcome for data with missing fields or other types', () => {
    const data = pages[id].flatMap((page) => (typeof page === 'string' ? embeddedJson(page) : [page]));
    expect(data.length).toBeGreaterThan(0);
    fc.assert(
      fc.property(
        fc.constantFrom(...data),
        fc.array(fc.nat(), { minLength: 400, maxLength: 400 }),
        (value, numbers) => {
          let index = 0;
          const mutated = mutate(value, () => numbers[(index += 1) % numbers.length] ?? 0);
          return isSound(id, read(id, JSON.stringify(mutated)));
        },
      ),
      options,
    );
  });

  it('rejects pages of other sites', () => {
    const others = API_IDS.filter((other) => PREBUILT_APIS[other].site !== PREBUILT_APIS[id].site);
    for (const other of others) {
      for (const body of pages[other])
        expect(read(id, textOf(body)).outcome, `a page of ${other}`).not.toBe('ok');
    }
  });

  it('reads hostile pages quickly', () => {
    const hostile = [
      '<script '.repeat(100_000),
      '<meta "'.repeat(100_000),
      `<meta ${'a'.repeat(300_000)}>`,
      '<div>'.repeat(50_000) + 'data-activity-urn article-content property-card fact-category linkedin.com',
      `var ytInitialData = ${'{"a":['.repeat(50_000)}`,
      `ytInitialData = '${'\\\\'.repeat(200_000)}`,
      `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
      `{"title":"${' '.repeat(300_000)}views","contents":{}}`,
      `{"viewCountText":{"simpleText":"1${' '.repeat(300_000)}x views"},"videoId":"x","title":"${'1,'.repeat(100_000)}"}`,
      `<title>${'1,'.repeat(100_000)}</title>property-card <meta name="og:description" content="${'9'.repeat(300_000)}">`,
    ];
    const start = process.cpuUsage();
    for (const body of hostile) expect(isSound(id, extractSite(id, {}, [response(body)]))).toBe(true);
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1e6, 'CPU seconds').toBeLessThan(8);
  });
});

/** The JSON values in the scripts of a handwritten page. */
function embeddedJson(page: string): object[] {
  return [...page.matchAll(/<script[^>]*>(?:var \w+ = )?(\{[\s\S]*?\});?<\/script>/g)].flatMap(
    ([, text = '']) => {
      try {
        return [JSON.parse(text) as object];
      } catch {
        return [];
      }
    },
  );
}
