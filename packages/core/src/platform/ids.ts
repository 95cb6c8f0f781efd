import { ID_PREFIXES, type IdKind } from '@gleaner/contracts';
import { monotonicFactory } from 'ulid';

const nextUlid = monotonicFactory();

/** `<prefix>_<26 lower-case ULID characters>`. Ids of one process are ascending. */
export function createId(kind: IdKind): string {
  return `${ID_PREFIXES[kind]}_${nextUlid().toLowerCase()}`;
}
