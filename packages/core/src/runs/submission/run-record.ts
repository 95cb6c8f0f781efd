import type { ScrapeConfig, Sink, Target } from '@gleaner/contracts';
import type { TaskTarget } from '../tasks/task-spec.ts';

/** The client's form of a target, with the parser's version that ran. */
export function toPublicTarget(target: TaskTarget): Target {
  if (target.type === 'schema') return { type: 'parser', parserId: '' };
  return target;
}

/** A configuration as records show it: without what may be secret. */
export function toShownConfig({ headers: _headers, cookies: _cookies, ...shown }: ScrapeConfig) {
  return shown;
}

export function toShownSink(sink: Sink | null): Sink {
  return sink ?? { mode: 'return' };
}

/** A time of Postgres in ISO 8601, UTC. */
export function toTime(text: string): string {
  return new Date(text).toISOString();
}

export function toOptionalTime(text: string | null): string | null {
  return text === null ? null : toTime(text);
}
