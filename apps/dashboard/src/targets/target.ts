import { PAGE_PARSER } from '@gleaner/contracts/values';
import type { CallOutput } from '../api/call.ts';

/** In an address that leads back to a crawl: the parser that is made for it. */
export const MADE_PARSER = 'prs_made';

export type Target = CallOutput<'getCron'>['target'];

/** A target as the value of a choice: `parser:prs_…`, `api:videosite-video`, `workflow:wfl_…`. */
export function keyOfTarget(target: Target): string {
  if (target.type === 'parser') return `parser:${target.parserId}`;
  return target.type === 'api' ? `api:${target.id}` : `workflow:${target.workflowId}`;
}

/** The parser of a target, if it is one of the account. */
export function parserIdOf(target: Target): string | undefined {
  return target.type === 'parser' && target.parserId !== PAGE_PARSER ? target.parserId : undefined;
}

/** The target of a choice; undefined without a choice. */
export function targetOfKey(key: string | null): Target | undefined {
  const [type, id] = key?.split(':') ?? [];
  if (id === undefined || id === '') return undefined;
  if (type === 'parser') return { type, parserId: id };
  if (type === 'api') return { type, id };
  return type === 'workflow' ? { type, workflowId: id } : undefined;
}
