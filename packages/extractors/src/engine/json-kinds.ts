import type { SourceKind } from '@gleaner/contracts';

const JSON_KINDS = new Set<SourceKind>(['json', 'jsonld', 'microdata', 'xhr']);

/** Whether what a source of this kind matches is JSON. */
export function isJsonKind(kind: SourceKind): boolean {
  return JSON_KINDS.has(kind);
}
