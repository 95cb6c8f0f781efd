import { nextWay } from '@gleaner/contracts';
import {
  wayKey,
  type Climb,
  type TaskOutcome,
  type TaskTarget,
  type WayKey,
  type WayMemory,
} from '@gleaner/core';

/** The ways of a task's page, and what is remembered of its host. */
export interface RunClimb extends Climb {
  key: WayKey;
}

/** @param climb absent without `escalate` @param url of the page */
export function climbOf(
  climb: Climb | undefined,
  { accountId, target, url }: { accountId: string; target: TaskTarget; url: string },
): RunClimb | undefined {
  if (climb === undefined) return undefined;
  const host = URL.parse(url)?.host ?? '';
  return { ...climb, key: wayKey(accountId, host, target) };
}

/** The outcome of a page that goes on by another way and was not asked for: it is not stored. */
const UNASKED = { ok: false, error: { code: 'extraction_failed' } } as const satisfies TaskOutcome;

/** What an outcome shows of the way that was taken, and of the one before. */
function noteOutcome(memory: WayMemory, { ways, at, key }: RunClimb, outcome: TaskOutcome): void {
  const isRead = outcome.ok && outcome.climbs === undefined;
  const isVain = outcome.climbs !== undefined || (!outcome.ok && outcome.error.code === 'extraction_failed');
  if (at > 0 && (isRead || isVain)) memory.note(key, at - 1, isRead ? 'given' : 'vain');
  if (at === ways.length - 1) return;
  if (isRead) memory.note(key, at, 'read');
  else if (!outcome.ok && outcome.next !== undefined) memory.note(key, at, 'climbed');
}

/** What the ways of a page make of an outcome: its price, or that a dearer way goes on. */
function byWay(outcome: TaskOutcome, { ways, at }: Climb, isStopped: boolean): TaskOutcome {
  const next = outcome.climbs === undefined ? undefined : nextWay(ways, at, outcome.climbs);
  if (!outcome.ok) return outcome.climbs === undefined ? outcome : { ...outcome, next };
  // A page of facts is read as it is where no way gives more.
  if (next === undefined || isStopped) return { ...outcome, price: ways[at]?.price };
  return { ...UNASKED, climbs: outcome.climbs, next };
}

/** Reads a page by one of its ways, unless its host has shown that another one does. */
export async function alongWays(
  memory: WayMemory,
  climb: RunClimb | undefined,
  attempt: () => Promise<TaskOutcome>,
): Promise<TaskOutcome> {
  if (climb === undefined) return attempt();
  const { ways, at, key, isUntried = false } = climb;
  // It ends there with its own error, or is read: pages that began here were not tried there.
  if (at > 0 && (await memory.hasStopped(key, at - 1))) return { ...UNASKED, next: at - 1 };
  // Since it began here, a page has shown that the way before may give its data.
  if (isUntried && (await memory.isTried(key, at - 1))) return { ...UNASKED, next: at - 1 };
  const hasNext = at < ways.length - 1;
  if (hasNext && (await memory.advise(key, at)) === 'skip')
    return { ...UNASKED, next: at + 1, isUntried: true };
  const attempted = await attempt();
  const isStopped = attempted.climbs !== undefined && (await memory.hasStopped(key, at));
  const outcome = byWay(attempted, climb, isStopped);
  noteOutcome(memory, climb, outcome);
  return outcome.ok || !isStopped ? outcome : { ...outcome, next: undefined };
}
