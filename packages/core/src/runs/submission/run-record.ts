import type { Target } from '@gleaner/contracts';
import type { TaskTarget } from '../tasks/task-spec.ts';

/** A target as clients write it. */
export function toPublicTarget(target: TaskTarget): Target {
  return target.type === 'api'
    ? target
    : { type: 'parser', parserId: target.type === 'parser' ? target.parserId : '' };
}

/** A time of Postgres in ISO 8601, UTC. */
export function toTime(text: string): string {
  return new Date(text).toISOString();
}

export function toOptionalTime(text: string | null): string | null {
  return text === null ? null : toTime(text);
}
