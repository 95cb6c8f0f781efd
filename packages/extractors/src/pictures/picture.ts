import {
  type PageDocument,
  type TreeElement,
  type TreeNode,
  attributeOf,
  elementsByTag,
  firstChildElement,
  isText,
  nextElement,
  parentElement,
  previousElement,
} from '@gleaner/html';
import { isSourceSet, largestOf } from './source-set.ts';

/** Elements that show a picture. */
const PICTURES: ReadonlySet<string> = new Set(['img', 'amp-img', 'amp-anim']);

export function isPicture({ localName }: TreeElement): boolean {
  return PICTURES.has(localName) || localName === 'picture';
}

/** Where pages keep the address of a picture until a script loads it. */
const LATER = (
  'data-src data-original data-lazy-src data-lazy data-lazyload data-original-src data-orig-src data-orig-file ' +
  'data-img-src data-image-src data-real-src data-actual data-ks-lazyload data-echo data-defer-src data-hi-res-src data-url'
).split(' ');
const LATER_SETS = ['data-srcset', 'data-lazy-srcset', 'data-original-set', 'data-original-srcset'];

/** What has no address: a template that a script fills, a colour, settings. */
const NO_ADDRESS = /^(?:#|about:|blob:|javascript:)|[{}<>"]|^$/i;
/** Names of files that stand in for a picture that is not loaded. */
const STAND_IN =
  /(?:^|[-_.])(?:blank|spacer|placeholder|transparent|pixel|loading|loader|preload(?:er)?|lazy(?:load)?|gr[ae]y|empty|dummy|clear|spinner|lqip|blur(?:red)?|1x1|no-?image)(?=[-_.\d]|$)/i;
/** Widths below 100 in an address: a picture that is shown blurred until the real one is there. */
const TINY =
  /[?&](?:w|h|width|height|size|resize)=\d{1,2}(?=[&,x]|$)|[/,_-]w_\d{1,2}(?=[/,])|\/max\/\d{1,2}\/|-\d{1,2}x\d{1,2}\.\w+(?:$|\?)|[?&]blur(?:=|&|$)/i;

/** Whether the address is of what stands in for a picture, or of none. */
export function isStandIn(address: string): boolean {
  if (/^data:/i.test(address) || NO_ADDRESS.test(address)) return true;
  const path = address.split(/[?#]/, 1)[0] ?? '';
  return STAND_IN.test(path.slice(path.lastIndexOf('/') + 1)) || TINY.test(address);
}

function writtenIn(element: TreeElement, name: string): string[] {
  const value = attributeOf(element, name)?.trim() ?? '';
  if (value === '') return [];
  const address = isSourceSet(value) || name.endsWith('set') ? largestOf(value) : value;
  if (address === undefined) return [];
  // A script's own settings stand in attributes with such names too.
  const isSetting = name.startsWith('data-') && (/[\s{}[\]]/.test(address) || !/[./]/.test(address));
  return isSetting ? [] : [address];
}

/** The sources of a `<picture>`; those for small screens last. */
function* sourcesOf(picture: TreeElement): Generator<string> {
  const sources: TreeElement[] = [];
  for (let node = firstChildElement(picture); node !== null; node = nextElement(node))
    if (node.localName === 'source') sources.push(node);
  const isSmall = (source: TreeElement): boolean =>
    (attributeOf(source, 'media') ?? '').toLowerCase().includes('max-width');
  for (const source of [...sources.filter((one) => !isSmall(one)), ...sources.filter(isSmall)])
    for (const name of [...LATER_SETS, 'srcset', ...LATER]) yield* writtenIn(source, name);
}

function pictureAround(element: TreeElement): TreeElement | undefined {
  const parent = parentElement(element);
  return parent?.localName === 'picture' ? parent : undefined;
}

function* addressesOf(element: TreeElement, spare?: TreeElement): Generator<string> {
  for (const name of [...LATER, 'src', ...LATER_SETS, 'srcset']) yield* writtenIn(element, name);
  const picture = element.localName === 'picture' ? element : pictureAround(element);
  if (picture !== undefined) yield* sourcesOf(picture);
  if (spare !== undefined) yield* addressesOf(spare);
}

const MAX_WRAPPERS = 3;
const MAX_INSIDE = 20;

/** The picture that is all that the element shows. */
function onlyPictureIn(element: TreeElement | null): TreeElement | undefined {
  let node = element;
  for (let level = 0; node !== null && level <= MAX_WRAPPERS; level += 1) {
    if (PICTURES.has(node.localName)) return node;
    const isPicture = node.localName === 'picture';
    let child = firstChildElement(node);
    while (isPicture && child?.localName === 'source') child = nextElement(child);
    if (child === null || (nextElement(child) !== null && !isPicture)) return undefined;
    node = child;
  }
  return undefined;
}

function isBlank(node: TreeNode | null): boolean {
  return node === null || !isText(node) || node.data.trim() === '';
}

/** What stands in the place of a script: pictures, and nothing else to read. */
function picturesIn(noscript: TreeElement, document: PageDocument): TreeElement[] {
  if (noscript.lastOrder - noscript.order > MAX_INSIDE) return [];
  const inside = document.elements.slice(noscript.order + 1, noscript.lastOrder + 1);
  const hasText = [noscript, ...inside].some((element) => {
    for (let node = element.first; node !== null; node = node.next) if (!isBlank(node)) return true;
    return false;
  });
  return hasText ? [] : inside.filter((element) => PICTURES.has(element.localName));
}

function isDot(element: TreeElement): boolean {
  return ['width', 'height'].some((name) => /^[0-2](?:px)?$/.test(attributeOf(element, name)?.trim() ?? ''));
}

/** Pictures of a page that stand in `<noscript>`. */
export interface SparePictures {
  /** By the picture for which they stand in. */
  readonly of: ReadonlyMap<TreeElement, TreeElement>;
  /** By the `<noscript>` without a picture beside it. */
  readonly alone: ReadonlyMap<TreeElement, readonly TreeElement[]>;
}

function findSpare(document: PageDocument): SparePictures {
  const of = new Map<TreeElement, TreeElement>();
  const alone = new Map<TreeElement, TreeElement[]>();
  for (const noscript of elementsByTag(document, 'noscript')) {
    const pictures = picturesIn(noscript, document);
    const [first] = pictures;
    if (first === undefined) continue;
    const parent = parentElement(noscript);
    const beside = [
      parent !== null && PICTURES.has(parent.localName) ? parent : undefined,
      onlyPictureIn(previousElement(noscript)),
      onlyPictureIn(nextElement(noscript)),
    ].find((picture) => picture !== undefined && !of.has(picture));
    if (beside !== undefined) {
      of.set(beside, first);
      continue;
    }
    // Counters of visitors stand there too: they are dots, or say nothing of what they show.
    const shown = pictures.filter(
      (picture) => !isDot(picture) && (isWithinFigure(noscript) || attributeOf(picture, 'alt')?.trim()),
    );
    if (shown.length > 0) alone.set(noscript, shown);
  }
  return { of, alone };
}

function isWithinFigure(element: TreeElement): boolean {
  return ['figure', 'picture', 'a'].includes(parentElement(element)?.localName ?? '');
}

/** The pictures in `<noscript>`, found once for each page. */
export function sparePictures(document: PageDocument): SparePictures {
  const known = document.memo.get(findSpare) as SparePictures | undefined;
  const spare = known ?? findSpare(document);
  document.memo.set(findSpare, spare);
  return spare;
}

/**
 * The address, as it is written, of the picture that an element shows once all scripts have run: what a script loads
 * later, `src`, the largest of `srcset`, the sources of its `<picture>`, its `<noscript>`. What stands in for a picture
 * counts last. Undefined without any.
 */
export function pictureAddressOf(document: PageDocument, element: TreeElement): string | undefined {
  const inner = element.localName === 'picture' ? onlyPictureIn(element) : undefined;
  if (inner !== undefined) return pictureAddressOf(document, inner);
  const spare = sparePictures(document).of.get(element);
  let standIn: string | undefined;
  for (const address of addressesOf(element, spare)) {
    if (!isStandIn(address)) return address;
    if (standIn === undefined || /^data:/i.test(standIn)) standIn = address;
  }
  return standIn;
}

/** Whether a `<picture>` has a picture of its own inside, which gives its address. */
export function holdsPicture(picture: TreeElement): boolean {
  for (let node = firstChildElement(picture); node !== null; node = nextElement(node))
    if (PICTURES.has(node.localName) || node.localName === 'noscript') return true;
  return false;
}
