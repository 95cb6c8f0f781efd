import {
  ARTICLE_SLUG,
  articlePage,
  authwallPage,
  POST_ID,
  POST_PATH,
  postingLd,
  postPage,
  postUrl,
} from '../../packages/extractors/src/sites/fixtures/pronet.ts';
import { type FakeSite, html, notFound, redirect } from './fake-site.ts';

export { ARTICLE_SLUG, POST_ID, POST_PATH };

export const VIDEO_PATH = '/posts/ana-example_video-activity-7400000000000000001-vId0';
export const BLOCKED_PATH = '/posts/ana-example_blocked-activity-7400000000000000002-bLk0';

/** The professional network: posts and articles are open, updates want a login, their embeds do not. */
export const pronetFake: FakeSite = ({ path }) => {
  if (path === POST_PATH) return html(postPage(postingLd('SocialMediaPosting')));
  if (path === VIDEO_PATH) return html(postPage(postingLd('VideoObject')));
  if (path === BLOCKED_PATH) return { status: 999, body: 'Request denied' };
  if (path === `/pulse/${ARTICLE_SLUG}`) return html(articlePage());
  if (path.startsWith('/feed/update/'))
    return redirect(`/authwall?sessionRedirect=${encodeURIComponent(path)}`, 307);
  if (path === '/authwall') return html(authwallPage());
  if (path === `/embed/feed/update/urn:li:activity:${POST_ID}`) {
    return html(postPage(undefined, { canonical: postUrl() }));
  }
  return notFound();
};
