import type { Reach } from '../results/explain.ts';
import type { Draft, FieldPath } from '../schema/draft.ts';
import { withOneSource } from '../schema/edits.ts';
import { findMatches, queryAll, select, sourceOf } from '../schema/matches.ts';
import type { Snapshot } from './snapshot.ts';

const MAX_BOXES = 400;

export type OutlineKind = 'match' | 'row' | 'preview' | 'reach';

/** Elements of the page to draw a frame around. */
export interface Outline {
  kind: OutlineKind;
  elements: readonly Element[];
}

/** A frame over the shown page, in its own pixels. */
export interface Box {
  key: string;
  kind: OutlineKind | 'hover';
  left: number;
  top: number;
  width: number;
  height: number;
}

interface Shown {
  draft: Draft;
  selected: FieldPath;
  /** A selector that is tried out; it takes the place of all others. */
  preview: string | undefined;
  /** The source of the selected field that is edited: what it finds is shown as if there were no others. */
  tried: number | undefined;
  reach: Reach | undefined;
}

/** What the page's outlines show: the tried selector, or the selected field's rows and matches. */
export function outlinesOf(page: Document, { draft, selected, preview, tried, reach }: Shown): Outline[] {
  if (preview !== undefined) return [{ kind: 'preview', elements: select(page, sourceOf(preview)) }];
  const { rows, matches } = findMatches(withOneSource(draft, selected, tried), selected, page);
  return [
    { kind: 'row', elements: rows },
    { kind: 'match', elements: matches },
    { kind: 'reach', elements: matches.length === 0 ? queryAll(page, reach?.reached ?? '') : [] },
  ];
}

function boxOf(shown: Element | undefined, kind: Box['kind'], key: string): Box[] {
  const rect = shown?.getBoundingClientRect();
  if (!rect || (rect.width === 0 && rect.height === 0)) return [];
  return [{ key, kind, left: rect.left, top: rect.top, width: rect.width, height: rect.height }];
}

/** Where the outlines and the hovered element are in the shown page. */
export function boxesOf(
  snapshot: Snapshot,
  outlines: readonly Outline[],
  hovered: Element | undefined,
): Box[] {
  const shown = outlines.flatMap(({ kind, elements }) =>
    elements.slice(0, MAX_BOXES).map((element, index) => ({ kind, element, key: `${kind}${index}` })),
  );
  const boxes = shown
    .slice(0, MAX_BOXES)
    .flatMap(({ kind, element, key }) => boxOf(snapshot.shownOf(element), kind, key));
  return hovered ? [...boxes, ...boxOf(snapshot.shownOf(hovered), 'hover', 'hover')] : boxes;
}
