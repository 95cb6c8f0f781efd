import type { ApiId } from '@gleaner/contracts';
import { describe, expect, it } from 'vitest';
import { defaultSitesConfig } from '../config.ts';
import { htmlPage, response } from '../fixtures/page.ts';
import {
  edgeNode,
  gatedAnswer,
  guestNode,
  metaOnlyPage,
  post,
  relayPage,
  webUser,
} from '../fixtures/photoapp.ts';
import { nextStep } from '../index.ts';
import type { SiteOutcome, SiteResponse } from '../types.ts';

const username = 'harbour.bakery';

/** Answers every request of a plan until it returns an outcome. */
function outcomeOf(
  id: ApiId,
  input: Record<string, unknown>,
  answer: (url: URL) => SiteResponse,
): SiteOutcome {
  const responses: SiteResponse[] = [];
  for (;;) {
    const step = nextStep(id, input, defaultSitesConfig, responses);
    if (step.kind === 'done') return step.outcome;
    responses.push({ ...answer(new URL(step.request.url)), url: step.request.url });
  }
}

function isPage(url: URL): boolean {
  return url.pathname === `/${username}/`;
}
const nobody = response({ data: { user: null, xig_user_by_username: null }, status: 'ok' });
const gated = response(gatedAnswer, { status: 401 });
const loginWall = response('<html><title>Login • Instagram</title></html>');
const ageGate = response(htmlPage({ title: 'Restricted profile' }));
const ids: ApiId[] = ['photoapp-profile', 'photoapp-posts', 'photoapp-reels'];

describe('a user that the calls return as null', () => {
  it.each(ids)('%s: is not reported as absent behind a login wall or an age gate', (id) => {
    for (const wall of [loginWall, ageGate])
      expect(outcomeOf(id, { username }, (url) => (isPage(url) ? wall : nobody)).outcome).toBe('blocked');
  });

  it.each(ids)('%s: is absent without other evidence, or when a status says so', (id) => {
    const empty = response(htmlPage({ title: 'Instagram' }));
    const absent = response({ data: { user: null } }, { status: 404 });
    expect(outcomeOf(id, { username }, (url) => (isPage(url) ? empty : nobody)).outcome).toBe('not_found');
    expect(
      outcomeOf(id, { username }, ({ pathname }) =>
        pathname === `/${username}/` ? loginWall : pathname.includes('web_profile_info') ? absent : gated,
      ).outcome,
    ).toBe('not_found');
  });

  it('photoapp-posts, photoapp-reels: exists when the page shows the profile', () => {
    const page = response(metaOnlyPage());
    for (const id of ['photoapp-posts', 'photoapp-reels'] as const) {
      expect(outcomeOf(id, { username }, (url) => (isPage(url) ? page : nobody)).outcome).toBe(
        'unrecognised',
      );
      expect(
        outcomeOf(id, { username }, (url) =>
          isPage(url) ? page : url.pathname.startsWith('/api/v1/') ? gated : nobody,
        ).outcome,
      ).toBe('blocked');
    }
  });
});

describe('photoapp-profile of a page that answers', () => {
  const info = { has_next_page: true, end_cursor: 'QVFDx==' };
  const [one, two] = [post(1), post(3)];
  const page = response(relayPage([one, two].map(guestNode), info));
  // The call lists the posts in another order.
  const called = response({ data: { user: webUser([two, one].map(edgeNode), info) } });

  it('has the business fields and the counts of posts from the call', () => {
    expect(outcomeOf('photoapp-profile', { username }, (url) => (isPage(url) ? page : called))).toMatchObject(
      {
        outcome: 'ok',
        data: {
          identity: { profile_pic_url_hd: 'https://cdn.example/harbour-320.jpg' },
          account_type: { is_business_account: true, is_professional_account: true },
          business_info: { category_name: 'Bakery', email: 'hello@harbour-bakery.example' },
          content: {
            has_clips: true,
            recent_posts: [
              { id: one.pk, likes: one.likes, comments: one.comments, timestamp: one.takenAt },
              { id: two.pk, likes: two.likes, comments: two.comments, timestamp: two.takenAt },
            ],
          },
        },
      },
    );
  });

  it('is returned when the call fails, without further requests', () => {
    const asked: string[] = [];
    const outcome = outcomeOf('photoapp-profile', { username }, (url) => {
      asked.push(url.pathname);
      return isPage(url) ? page : gated;
    });
    expect(outcome).toMatchObject({
      outcome: 'ok',
      data: { metrics: { followers: 18250 }, account_type: { is_business_account: null } },
    });
    expect(asked).toEqual([`/${username}/`, '/api/v1/users/web_profile_info/']);
  });
});
