import { isObject } from '@gleaner/contracts/values';
import { arrayAt, at, filledAt } from '../read/value.ts';

/** The token inside a continuation entry of a list, in any nesting. */
function tokenOfEntry(entry: unknown): string | null {
  const item = at(entry, 'continuationItemRenderer') ?? at(entry, 'continuationItemViewModel');
  if (!isObject(item)) return null;
  const direct = filledAt(
    item,
    'continuationEndpoint.continuationCommand.token',
    'button.buttonRenderer.command.continuationCommand.token',
    'continuationCommand.innertubeCommand.continuationCommand.token',
    'continuationCommand.token',
  );
  if (direct !== null) return direct;
  for (const command of [
    ...arrayAt(item, 'continuationEndpoint.commandExecutorCommand.commands'),
    ...arrayAt(item, 'continuationCommand.innertubeCommand.commandExecutorCommand.commands'),
  ]) {
    const token = filledAt(command, 'continuationCommand.token');
    if (token !== null) return token;
  }
  return null;
}

/** The token of the next page: in the list's last continuation entry, or beside the list in old layouts. */
export function nextToken(entries: readonly unknown[], container?: unknown): string | null {
  for (const entry of entries.toReversed()) {
    const token = tokenOfEntry(entry);
    if (token !== null) return token;
  }
  for (const data of arrayAt(container, 'continuations')) {
    const token = filledAt(data, 'nextContinuationData.continuation');
    if (token !== null) return token;
  }
  return null;
}

export function pageOf(continuation: string | null): Record<string, unknown> {
  return {
    continuation,
    has_more: continuation !== null,
  };
}

const CHANNEL_FIELD = /\x12\x18(UC[0-9A-Za-z_-]{22})/;

/** The channel id in the second field of a browse token; null for other tokens. */
export function channelOfToken(token: string | null): string | null {
  if (token === null || token.length > 20_000) return null;
  const base64 = token.replaceAll(/%3D/gi, '=').replaceAll('-', '+').replaceAll('_', '/').slice(0, 120);
  if (!/^[A-Za-z0-9+/=]*$/.test(base64)) return null;
  const usable = base64.replaceAll('=', '');
  return CHANNEL_FIELD.exec(atob(usable.slice(0, usable.length - (usable.length % 4))))?.[1] ?? null;
}
