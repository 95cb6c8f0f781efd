import { attributeOf, type PageDocument } from '@gleaner/html';

/** Values of a fingerprint. The share of equal ones estimates two pages' likeness to about 0.1. */
const PLACES = 32;
/** Longer pages repeat their rows. */
const MAX_ELEMENTS = 5_000;
const SEEDS = Uint32Array.from({ length: PLACES }, (_, place) => Math.imul(place + 1, 0x9e_37_79_b1));
const ZERO = 48;
const NINE = 57;

/** FNV-1a without digits: `post-4711` and `post-4712` are one class. */
function addText(hash: number, text: string): number {
  let next = hash;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < ZERO || code > NINE) next = Math.imul(next ^ code, 0x01_00_01_93);
  }
  return Math.imul(next ^ 0x1f, 0x01_00_01_93);
}

/**
 * A fingerprint of how a page is built: of the set of its elements, each as its parent's name, its own name and its
 * classes. The share of equal values of two fingerprints estimates the share of equal elements (MinHash, Broder 1997).
 * @returns 32 numbers of 16 bits; of an empty page 0
 */
export function structureOf({ elements }: PageDocument): number[] {
  const kinds = new Set<number>();
  for (const element of elements.slice(0, MAX_ELEMENTS)) {
    const { parent } = element;
    let hash = addText(0x81_1c_9d_c5, parent !== null && 'localName' in parent ? parent.localName : '');
    hash = addText(hash, element.localName);
    kinds.add(addText(hash, attributeOf(element, 'class') ?? ''));
  }
  const least = new Uint32Array(PLACES).fill(kinds.size === 0 ? 0 : 0xff_ff_ff_ff);
  for (const kind of kinds) {
    for (let place = 0; place < PLACES; place += 1) {
      const mixed = Math.imul(kind ^ (SEEDS[place] ?? 0), 0x85_eb_ca_6b);
      const value = Math.imul(mixed ^ (mixed >>> 15), 0xc2_b2_ae_35) >>> 0;
      if (value < (least[place] ?? 0)) least[place] = value;
    }
  }
  return Array.from(least, (value) => value & 0xff_ff);
}
