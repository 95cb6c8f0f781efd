import { type JsonObject, arrayAt, at, filledAt, first } from '../read/value.ts';

const COMMANDS = [
  'continuationEndpoint.commandExecutorCommand.commands',
  'continuationCommand.innertubeCommand.commandExecutorCommand.commands',
];

/** The token inside a continuation entry of a list, in any nesting. */
function tokenOfEntry(entry: unknown): string | null {
  const item = at(entry, 'continuationItemRenderer') ?? at(entry, 'continuationItemViewModel');
  return first(
    filledAt(
      item,
      'continuationEndpoint.continuationCommand.token',
      'button.buttonRenderer.command.continuationCommand.token',
      'continuationCommand.innertubeCommand.continuationCommand.token',
      'continuationCommand.token',
    ),
    filledIn(
      COMMANDS.flatMap((path) => arrayAt(item, path)),
      'continuationCommand.token',
    ),
  );
}

function filledIn(nodes: readonly unknown[], path: string): string | null {
  return first(...nodes.map((node) => filledAt(node, path)));
}

/** The token of the next page: in the list's last continuation entry, or beside the list in old layouts. */
export function nextToken(entries: readonly unknown[], container?: unknown): string | null {
  for (const entry of entries.toReversed()) {
    const token = tokenOfEntry(entry);
    if (token !== null) return token;
  }
  return filledIn(arrayAt(container, 'continuations'), 'nextContinuationData.continuation');
}

export function pageOf(continuation: string | null): JsonObject {
  return { continuation, has_more: continuation !== null };
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
