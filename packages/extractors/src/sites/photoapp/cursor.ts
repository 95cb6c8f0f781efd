import { parseJson } from '../read/json.ts';
import { at, filledAt } from '../read/value.ts';
import { type ChannelName, isChannelName } from './channels.ts';

/** The data that a later page needs in addition to the user id, which the client also sends. */
export interface PlanCursor {
  channel: ChannelName;
  /** The site's own cursor. */
  native: string;
  userId: string;
  username: string | null;
  /** Id of the last item of the page before. */
  lastId: string | null;
}

const PREFIX = 'gl1.';

/** The maximum length in the inputs of the APIs. */
const MAX_LENGTH = 16_384;

/** Encodes an opaque token. A site's cursor that would become too long stays unchanged. */
export function encodeCursor({ channel, native, userId, username, lastId }: PlanCursor): string {
  const fields = { c: channel, n: native, i: userId, u: username, l: lastId };
  const token = PREFIX + Buffer.from(JSON.stringify(fields)).toString('base64url');
  return token.length <= MAX_LENGTH ? token : native;
}

/** Decodes a token. Null for a site's own cursor and any text that is not exactly a token, because clients send it. */
export function decodeCursor(token: string | null): PlanCursor | null {
  if (token === null || !token.startsWith(PREFIX)) return null;
  const fields = parseJson(Buffer.from(token.slice(PREFIX.length), 'base64url').toString('utf8'));
  const native = filledAt(fields, 'n');
  const userId = matching(at(fields, 'i'), /^\d{1,20}$/);
  const channel = at(fields, 'c');
  if (native === null || userId === null || !isChannelName(channel)) return null;
  return {
    channel,
    native,
    userId,
    username: matching(at(fields, 'u'), /^(?!\.+$)[A-Za-z0-9._]{1,30}$/),
    lastId: matching(at(fields, 'l'), /^\d{1,25}$/),
  };
}

function matching(value: unknown, rule: RegExp): string | null {
  return typeof value === 'string' && rule.test(value) ? value : null;
}
