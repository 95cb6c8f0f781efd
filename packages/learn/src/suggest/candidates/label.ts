import type { Words } from '../page/names.ts';
import { candidate, type Candidate } from './candidate.ts';
import type { TreeElement } from '@gleaner/html';
import { findAfter, labelElements, relationCandidate, STRONG_LABEL } from './label-relation.ts';
import { LABEL_TAGS, labelness } from '../places/labelness.ts';
import { SEEN_TEXT, type PageModel, type TextSpot } from '../page/page-model.ts';
import type { ExampleTarget } from '../places/place.ts';
import { quoted, xpathLiteral } from '../page/text.ts';

/** The text at a fixed distance after the label's text, regardless of the elements around it. */
function followingCandidate(
  label: TextSpot,
  distance: number,
  value: string,
  target: TreeElement,
  quality: number,
): Candidate | undefined {
  const literal = xpathLiteral(label.xpathText);
  if (literal === undefined) return undefined;
  // A text that ends in a colon, or is written like the label, is the next label, so the value is missing.
  const tag = label.parent.localName;
  const labelTag = LABEL_TAGS.has(tag) && target.localName !== tag ? tag : undefined;
  const guard = `${/[:：]$/.test(value) ? '' : '[not(ends-with(normalize-space(.), ":"))]'}${labelTag === undefined ? '' : `[not(parent::${labelTag})]`}`;
  const isLabel = (text: TextSpot): boolean =>
    text.parent.localName === labelTag || (!/[:：]$/.test(value) && text.xpathText.endsWith(':'));
  const xpath = `//text()[normalize-space(.)=${literal}]/following::text()[${SEEN_TEXT}][${distance}]${guard}`;
  const find = findAfter(label, (model, spot) => {
    const text = model.texts[spot.index + distance];
    return text === undefined || isLabel(text) ? [] : [text.node.data];
  });
  const nth = distance === 1 ? 'the next text' : `the text ${distance} after`;
  return candidate(
    { xpath },
    'label',
    quality * 0.9 ** (distance - 1),
    `${nth} after the label ${quoted(label.text)}`,
    find,
    { anchor: label.xpathText, isLoose: distance > 1 || quality < STRONG_LABEL },
  );
}

/** For labels that occur several times on a page: the label after a heading. */
function sectionCandidate(
  model: PageModel,
  label: TextSpot,
  distance: number,
  quality: number,
): Candidate | undefined {
  const section = headingBefore(model, label);
  const inner = xpathLiteral(label.xpathText);
  const outer = section === undefined ? undefined : xpathLiteral(section.xpathText);
  if (section === undefined || inner === undefined || outer === undefined) return undefined;
  const xpath = `(//text()[normalize-space(.)=${outer}]/following::text()[normalize-space(.)=${inner}])[1]/following::text()[${SEEN_TEXT}][${distance}]`;
  const find: Candidate['find'] = (other) => {
    const start = other.byXPathText.get(section.xpathText)?.[0];
    const own = start && other.byXPathText.get(label.xpathText)?.find(({ index }) => index > start.index);
    const text = own && other.texts[own.index + distance];
    return text === undefined ? [] : [text.node.data];
  };
  const why = `the text after the label ${quoted(label.text)} under ${quoted(section.text)}`;
  return candidate({ xpath }, 'label', quality * 0.8 * 0.9 ** (distance - 1), why, find, {
    anchor: label.xpathText,
    isLoose: distance > 1,
  });
}

const HEADING_TAGS = new Set('h1 h2 h3 h4 h5 h6 th legend caption strong b dt'.split(' '));

function headingBefore(model: PageModel, label: TextSpot): TextSpot | undefined {
  for (let index = label.index - 1; index >= 0 && index > label.index - 80; index -= 1) {
    const spot = model.texts[index];
    if (spot === undefined || spot.text.length > 50 || !/\p{L}/u.test(spot.text)) continue;
    if (HEADING_TAGS.has(spot.parent.localName) && model.byXPathText.get(spot.xpathText)?.length === 1)
      return spot;
  }
  return undefined;
}

const BACK = 6;

/**
 * Sources anchored at a label near the value. `sharedBy` returns the share of the other pages that also contain a text:
 * all pages contain a label, but not a value. Undefined when there is only one page.
 */
export function labelCandidates(
  model: PageModel,
  target: ExampleTarget,
  value: string,
  field: Words,
  sharedBy: (text: string) => number | undefined,
): Candidate[] {
  const found: (Candidate | undefined)[] = [];
  const { index } = target.spot;
  const before = model.texts.slice(Math.max(0, index - BACK), index).toReversed();
  const labels = before.filter(({ text }) => text !== value);
  let nearest = 0;
  for (const label of labels) {
    const distance = index - label.index;
    const own = labelness(model, label, field, sharedBy(label.xpathText));
    // The label of the value before: where that value is missing, another one stands at this distance.
    const score = nearest >= 0.5 && own <= nearest ? 0.6 * own : own;
    nearest = Math.max(nearest, own);
    if (score < 0.15) continue;
    const all = model.byXPathText.get(label.xpathText) ?? [];
    const occurrence = all.indexOf(label);
    const quality = score * (all.length > 1 ? 0.88 : 1) * 0.96 ** (distance - 1);
    if (model.scope !== null) {
      const [first] = occurrence === 0 ? labelElements(model, label) : [];
      if (first !== undefined) found.push(relationCandidate(model, label, first, target, quality));
      continue;
    }
    if (occurrence === 0) {
      for (const element of labelElements(model, label)) {
        found.push(relationCandidate(model, label, element, target, quality * 1.01));
      }
      if (target.isOneText && distance <= 4) {
        found.push(followingCandidate(label, distance, value, target.spot.parent, quality * 0.95));
      }
    } else if (target.isOneText && distance <= 3) {
      found.push(sectionCandidate(model, label, distance, quality));
    }
  }
  return found.filter((item) => item !== undefined);
}
