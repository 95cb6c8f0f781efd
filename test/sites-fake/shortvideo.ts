import {
  captchaPage,
  challengePage,
  profileScope,
  shortItem,
  shortUser,
  universalPage,
  videoScope,
} from '../../packages/extractors/src/sites/fixtures/shortvideo.ts';
import { type FakeAnswer, type FakeSite, html, notFound, redirect } from './fake-site.ts';

export const USER = 'harbourbakery';
export const HIDDEN_USER = 'hiddenbaker';
/** Met by the challenge until a browser has run its script. */
export const CHALLENGED_USER = 'challengedbaker';
export const BLOCKED_USER = 'blockedbaker';

export const VIDEO_ID = '7000000000000000002';
export const PRIVATE_VIDEO_ID = '7000000000000000403';
export const CHALLENGED_VIDEO_ID = '7000000000000000429';
export const SHORT_CODE = 'ZTabc1234';

function profile(name: string): FakeAnswer {
  if (name === BLOCKED_USER) return html(captchaPage());
  if (name === HIDDEN_USER) return html(universalPage(profileScope(undefined, 10222)));
  const isKnown = name === USER || name === CHALLENGED_USER;
  return html(universalPage(isKnown ? profileScope(shortUser(name)) : profileScope(undefined, 10221)));
}

function video(id: string): FakeAnswer {
  if (id === PRIVATE_VIDEO_ID) return html(universalPage(videoScope(undefined, 10216)));
  const isKnown = id === VIDEO_ID || id === CHALLENGED_VIDEO_ID;
  return html(universalPage(isKnown ? videoScope(shortItem(id)) : videoScope(undefined, 10204)));
}

/** The short-video network with the challenge of its edge. */
export const shortvideoFake: FakeSite = ({ path, cookies }) => {
  const isChallenged = path.includes(CHALLENGED_USER) || path.includes(CHALLENGED_VIDEO_ID);
  if (isChallenged && cookies['waf_passed'] === undefined) return html(challengePage());
  if (path === `/t/${SHORT_CODE}`) return redirect(`/@${USER}/video/${VIDEO_ID}`);
  const id = /^\/@[^/]*\/video\/(\d+)$/.exec(path)?.[1];
  if (id !== undefined) return video(id);
  const name = /^\/@([^/]+)$/.exec(path)?.[1];
  return name === undefined ? notFound() : profile(name);
};
