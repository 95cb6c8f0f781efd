import { ID_PREFIXES, type IdKind } from '@gleaner/contracts';
import { monotonicFactory } from 'ulid';

const nextUlid = monotonicFactory();

/** `<prefix>_<26 lower-case ULID characters>`; later ones of a process sort after earlier ones. */
export function createId(kind: IdKind): string {
  return `${ID_PREFIXES[kind]}_${nextUlid().toLowerCase()}`;
}
