import { cutText } from '@gleaner/contracts/text';
import { failed } from '../outcome.ts';
import { isObject } from '@gleaner/contracts/values';
import { arrayAt, asText, at, textAt, type JsonObject } from '../read/value.ts';
import type { SiteOutcome } from '../types.ts';
import { shownAt } from './text.ts';

/** Classifies a player response without metadata: a fact about the video or about our visit. */
export function readPlayability(player: JsonObject): SiteOutcome {
  const playability = player['playabilityStatus'];
  if (!isObject(playability)) return failed('unrecognised', 'a player response without playabilityStatus');
  const status = textAt(playability, 'status') ?? '';
  const words = [
    textAt(playability, 'reason'),
    ...arrayAt(playability, 'messages').map(asText),
    shownAt(playability, 'errorScreen.playerErrorMessageRenderer.reason'),
    shownAt(playability, 'errorScreen.playerErrorMessageRenderer.subreason'),
  ].filter((text) => text !== null);
  const said = words.join(' ');
  const evidence = `playabilityStatus ${status}: ${cutText([...new Set(words)].join(' | '), 300)}`;
  if (isObject(at(playability, 'errorScreen.playerCaptchaViewModel')))
    return failed('blocked', `captcha, ${evidence}`);
  if (/not a bot/i.test(said)) return failed('blocked', evidence);
  if (/try again later/i.test(said)) return failed('rate_limited', evidence);
  if (/\bprivate\b/i.test(said)) return failed('private', evidence);
  if (status === 'LOGIN_REQUIRED' || status.endsWith('CHECK_REQUIRED')) return failed('blocked', evidence);
  if (/members|join this channel|premium|purchase|rent|payment/i.test(said))
    return failed('private', evidence);
  if (/country|region/i.test(said)) return failed('blocked', evidence);
  if (status === 'ERROR' || status === 'UNPLAYABLE') return failed('not_found', evidence);
  return failed('unrecognised', evidence);
}
