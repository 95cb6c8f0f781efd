import { columnsOf, type Stage } from './stages.ts';

export const NODE_WIDTH = 210;
const MARGIN = 24;
/** From one stage to the next that it feeds, and to one beside it. */
const WIDE = { ahead: 370, beside: 150 };
const NARROW = { ahead: 180, beside: NODE_WIDTH + MARGIN };
/** Where edges meet a stage: below its top, or on a phone right of its left side. */
const EDGE_AT = 30;

/** A stage at its place in the graph. */
export interface Placed {
  stage: Stage;
  index: number;
  left: number;
  top: number;
}

/** An arrow, its head, and the middle of its label. */
export interface Edge {
  line: string;
  head: string;
  left: number;
  top: number;
  labelWidth: number;
}

/** The places of the stages: each to the right of those that feed it, or on a phone below them. */
export function placesOf(stages: readonly Stage[], isNarrow: boolean): Placed[] {
  const columns = columnsOf(stages);
  const filled = new Map<number, number>();
  const { ahead, beside } = isNarrow ? NARROW : WIDE;
  return stages.map((stage, index) => {
    const column = columns[index] ?? 0;
    const row = filled.get(column) ?? 0;
    filled.set(column, row + 1);
    const [along, across] = [MARGIN + column * ahead, MARGIN + row * beside];
    return { stage, index, left: isNarrow ? across : along, top: isNarrow ? along : across };
  });
}

/** The room that the places need. */
export function sizeOf(places: readonly Placed[], isNarrow: boolean): { width: number; height: number } {
  return {
    width: Math.max(...places.map(({ left }) => left)) + NODE_WIDTH + MARGIN,
    height: Math.max(...places.map(({ top }) => top)) + (isNarrow ? NARROW.ahead : WIDE.beside),
  };
}

/** The arrow between two stages. On a phone it begins behind the upper one, whose height depends on its text. */
export function edgeOf(from: Placed, to: Placed, isNarrow: boolean): Edge {
  if (isNarrow) {
    const [x1, x2, y1, y2] = [from.left + EDGE_AT, to.left + EDGE_AT, from.top + EDGE_AT, to.top];
    const bend = y2 - NARROW.ahead / 3;
    return {
      line: `M${x1} ${y1} L${x1} ${bend} L${x2} ${bend} L${x2} ${y2 - 2}`,
      head: `M${x2 - 5} ${y2 - 8} L${x2} ${y2 - 1} L${x2 + 5} ${y2 - 8}`,
      left: to.left + NODE_WIDTH / 2 + EDGE_AT,
      top: y2 - 18,
      labelWidth: NODE_WIDTH - EDGE_AT,
    };
  }
  const [x1, x2, y1, y2] = [from.left + NODE_WIDTH, to.left, from.top + EDGE_AT, to.top + EDGE_AT];
  const bend = (x2 - x1) / 2;
  return {
    line: `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2 - 2} ${y2}`,
    head: `M${x2 - 8} ${y2 - 5} L${x2 - 1} ${y2} L${x2 - 8} ${y2 + 5}`,
    left: (x1 + x2) / 2,
    top: (y1 + y2) / 2,
    labelWidth: WIDE.ahead - NODE_WIDTH - 30,
  };
}
