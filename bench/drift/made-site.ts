import type { CompiledParser } from '@gleaner/extractors';

/** A made site: pages that vary as real ones do, and changes of its template that leave every field filled. */
export interface MadeSite<Thing> {
  name: string;
  parser: CompiledParser;
  /** @returns what the pages are about, one after the other */
  create(seed: number): () => Thing;
  toHtml(thing: Thing): string;
  /** What the parser reads after the change, by description. */
  changes: Readonly<Record<string, (thing: Thing, random: () => number) => Thing>>;
}
