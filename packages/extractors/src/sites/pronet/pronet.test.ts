import { describe, expect, it } from 'vitest';
import { defaultSitesConfig } from '../config.ts';
import { response } from '../fixtures/page.ts';
import {
  ARTICLE_SLUG,
  articlePage,
  authwallPage,
  cardMarkup,
  COMMENT_ID,
  guestArticlePage,
  oldArticlePage,
  POST_ID,
  POST_PATH,
  postingLd,
  postPage,
  postUrl,
} from '../fixtures/pronet.ts';
import { isoOfId } from './card.ts';
import { readTarget } from './plan.ts';
import { extractPost } from './post.ts';

const post = {
  canonical_url: postUrl(),
  headline: 'Bridges hum.',
  text: 'Bridges hum.\n\nHere is why.',
  published_at: '2025-11-28T12:34:56.789Z',
  author: {
    name: 'Ana Example',
    url: 'https://de.linkedin.com/in/ana-example',
    image: 'https://media.licdn.com/ana.jpg',
  },
  reaction_count: 71,
  comment_count: 1,
  images: ['https://media.licdn.com/one.jpg'],
  comments: [
    {
      author: 'Ben Example',
      pronet_url: 'https://www.linkedin.com/in/ben-example',
      text: 'Lovely.',
      date_published: '2025-11-28T13:00:00.000Z',
    },
  ],
};

describe('post', () => {
  it.each(['SocialMediaPosting', 'DiscussionForumPosting'] as const)(
    'reads %s, its counters from its own card',
    (type) => {
      expect(extractPost([response(postPage(postingLd(type)))], {})).toEqual({ outcome: 'ok', data: post });
    },
  );

  it('reads a video, which names its creator and has no images', () => {
    expect(extractPost([response(postPage(postingLd('VideoObject')))], {})).toEqual({
      outcome: 'ok',
      data: { ...post, images: [] },
    });
  });

  it('lists every image of an album', () => {
    const body = postPage(postingLd('SocialMediaPosting'), { card: cardMarkup({ images: 3 }) });
    expect(extractPost([response(body)], {})).toMatchObject({
      data: { images: [1, 2, 3].map((index) => `https://media.licdn.com/album-${index}.jpg`) },
    });
  });

  it('never counts data of a related post', () => {
    const card = cardMarkup()
      .replaceAll(/<a data-test-id="social-actions__[\s\S]*?<\/a>/g, '')
      .replace(/<section class="comment">[\s\S]*?<\/section>/, '');
    const ld = {
      ...postingLd('SocialMediaPosting'),
      interactionStatistic: undefined,
      comment: [],
      commentCount: 0,
    };
    const body = postPage(ld, { card }).replace(' | 1 comments', '');
    expect(extractPost([response(body)], {})).toMatchObject({
      data: { reaction_count: 0, comment_count: 0, comments: [] },
    });
  });

  it('reads a card without JSON-LD, dating it by its id', () => {
    expect(extractPost([response(postPage(undefined))], {})).toMatchObject({
      data: {
        headline: 'Bridges hum.',
        text: post.text,
        published_at: isoOfId(POST_ID),
        author: { name: 'Ana Example', url: 'https://www.linkedin.com/in/ana-example' },
        reaction_count: 71,
        comments: [{ author: 'Ben Example', date_published: isoOfId(COMMENT_ID) }],
      },
    });
  });

  it('reads JSON-LD without a card', () => {
    expect(extractPost([response(postingLd('SocialMediaPosting'))], {})).toMatchObject({
      data: { canonical_url: postUrl(), reaction_count: 70 },
    });
  });

  it('keeps an empty text', () => {
    const ld = { ...postingLd('SocialMediaPosting'), articleBody: '' };
    expect(extractPost([response(ld)], {})).toMatchObject({ data: { text: '' } });
  });

  it.each([
    ['blocked', response(authwallPage())],
    ['blocked', response('', { status: 999 })],
    [
      'blocked',
      response('<html></html>', {
        url: 'https://www.linkedin.com/x',
        finalUrl: 'https://www.linkedin.com/authwall?trk=x',
      }),
    ],
    ['blocked', response('<html><title>LinkedIn</title></html>')],
    ['rate_limited', response('', { status: 429 })],
    ['not_found', response('<html></html>', { status: 404 })],
    [
      'unrecognised',
      response(`<html><title>Something new</title>${'<p>linkedin.com</p>'.repeat(1000)}</html>`),
    ],
    ['unrecognised', response(postPage({ '@type': 'SocialMediaPosting' }, { card: '' }).padEnd(20_000))],
  ])('reports %s', (outcome, answer) => {
    expect(extractPost([answer], {}).outcome).toBe(outcome);
  });
});

describe('article', () => {
  it('reads the layout of today', () => {
    expect(extractPost([response(articlePage())], {})).toEqual({
      outcome: 'ok',
      data: {
        canonical_url: `https://www.linkedin.com/pulse/${ARTICLE_SLUG}`,
        headline: 'Why bridges hum',
        text: 'Wind makes them.\n\nSteel answers.',
        published_at: '2025-03-22T03:02:36.000+00:00',
        author: {
          name: 'Ana Example',
          url: 'https://www.linkedin.com/in/ana-example',
          image: 'https://media.licdn.com/ana.jpg',
        },
        reaction_count: 139,
        comment_count: 15,
        images: ['https://media.licdn.com/cover.jpg'],
        comments: [],
      },
    });
  });

  it('reads the layout of 2016', () => {
    expect(extractPost([response(oldArticlePage())], {})).toMatchObject({
      data: {
        headline: 'Why bridges hum',
        text: 'Wind makes them.',
        published_at: '2016-05-26',
        author: { name: 'Ana Example' },
        reaction_count: 4,
        comment_count: 0,
      },
    });
  });

  it('reads the layout of 2022', () => {
    expect(extractPost([response(guestArticlePage())], {})).toMatchObject({
      data: {
        headline: 'Why bridges hum',
        published_at: '2016-12-19',
        author: { name: 'Ana Example', url: 'https://www.linkedin.com/in/ana-example' },
        reaction_count: 361,
        comment_count: 48,
        images: ['https://media.licdn.com/cover.jpg'],
        comments: [{ author: 'Ben Example', text: 'Lovely.' }],
      },
    });
  });
});

describe('input forms', () => {
  const update = { kind: 'update', urn: `urn:li:activity:${POST_ID}` };
  it.each([
    [postUrl(), { kind: 'page', path: POST_PATH }],
    [`https://fr.linkedin.com${POST_PATH}?utm_source=x#y`, { kind: 'page', path: POST_PATH }],
    [`linkedin.com${POST_PATH}/`, { kind: 'page', path: POST_PATH }],
    [POST_ID, update],
    [`urn:li:activity:${POST_ID}`, update],
    [`https://www.linkedin.com/feed/update/urn:li:activity:${POST_ID}/?x=1`, update],
    [`https://www.linkedin.com/feed/update/urn%3Ali%3Aactivity%3A${POST_ID}`, update],
    [
      `https://www.linkedin.com/embed/feed/update/urn:li:share:${POST_ID}?collapsed=1`,
      { kind: 'update', urn: `urn:li:share:${POST_ID}` },
    ],
    [
      `https://www.linkedin.com/feed/update/urn:li:ugcPost:${POST_ID}`,
      { kind: 'update', urn: `urn:li:ugcPost:${POST_ID}` },
    ],
    [`https://www.linkedin.com/pulse/${ARTICLE_SLUG}/`, { kind: 'page', path: `/pulse/${ARTICLE_SLUG}` }],
    [
      `https://www.linkedin.com/today/article/${ARTICLE_SLUG}`,
      { kind: 'page', path: `/pulse/${ARTICLE_SLUG}` },
    ],
    [ARTICLE_SLUG, { kind: 'page', path: `/pulse/${ARTICLE_SLUG}` }],
    ['https://www.linkedin.com/in/ana-example', undefined],
    [`https://linkedin.com.evil.example${POST_PATH}`, undefined],
    [`https://user@www.linkedin.com${POST_PATH}`, undefined],
    [`https://www.linkedin.com:8443${POST_PATH}`, undefined],
    ['file:///etc/passwd', undefined],
    ['http://169.254.169.254/posts/x', undefined],
  ])('%s', (written, target) => {
    expect(readTarget(written, defaultSitesConfig)).toEqual(target);
  });
});
