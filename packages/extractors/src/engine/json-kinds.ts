import type { SourceKind } from '@gleaner/contracts';

const JSON_KINDS = new Set<SourceKind>(['json', 'jsonld', 'microdata', 'xhr']);

/** Whether sources of this kind match JSON values. */
export function isJsonKind(kind: SourceKind): boolean {
  return JSON_KINDS.has(kind);
}
