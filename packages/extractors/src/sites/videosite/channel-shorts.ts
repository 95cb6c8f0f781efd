// Page: /channel/UC…/shorts, or the JSON answers of youtubei/v1/browse for it.
// Data: as channel-videos, in the tab whose address ends in /shorts; or the automatic playlist UUSH….
// Seen: reelItemRenderer Oct 2022 to Sep 2024, shortsLockupViewModel from Nov 2024.
import { failed, ok } from '../outcome.ts';
import type { SiteInput, SiteOutcome, SiteResponse } from '../types.ts';
import { isUnknownItem, keysOf } from './channel-videos.ts';
import { readChannel } from './channel.ts';
import { pageOf } from './continuation.ts';
import { readShort } from './items.ts';

export function extractChannelShorts(responses: readonly SiteResponse[], input: SiteInput): SiteOutcome {
  const reading = readChannel(responses, input, 'shorts');
  if ('failure' in reading) return reading.failure;
  const { channelId, entries, token } = reading.list;
  const shorts = entries.flatMap((entry) => readShort(entry) ?? []);
  if (shorts.length === 0 && entries.some(isUnknownItem)) {
    return failed('unrecognised', `list entries of unknown kind: ${keysOf(entries)}`);
  }
  return ok({ channel_id: channelId, shorts, pagination: pageOf(token) });
}
