import { formatNumber } from '../format/format.ts';
import { RunStatus } from '../parts/page.tsx';
import { doneOf } from '../runs/pace.ts';
import { useNarrow } from '../parts/use-narrow.ts';
import { Progress } from '../runs/progress.tsx';
import { TargetName } from '../targets/target-name.tsx';
import styles from './stage-graph.module.css';
import { hasTarget, sourcesOf, type Stage, type StageState, columnsOf } from './stages.ts';

export const NODE_WIDTH = 210;
const MARGIN = 24;
/** From one stage to the next that it feeds, and to one beside it. */
const WIDE = { ahead: 370, beside: 150 };
const NARROW = { ahead: 180, beside: NODE_WIDTH + MARGIN };
/** Where edges meet a stage: below its top, or on a phone right of its left side. */
const EDGE_AT = 30;

/** The places of the stages: each to the right of those that feed it, or on a phone below them. */
export function placesOf(stages: readonly Stage[], isNarrow: boolean) {
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

type Placed = ReturnType<typeof placesOf>[number];

/** The room that the places need. */
export function sizeOf(places: readonly Placed[], isNarrow: boolean): { width: number; height: number } {
  return {
    width: Math.max(...places.map(({ left }) => left)) + NODE_WIDTH + MARGIN,
    height: Math.max(...places.map(({ top }) => top)) + (isNarrow ? NARROW.ahead : WIDE.beside),
  };
}

/** The arrow between two stages, its head, and the middle of its label. On a phone it begins behind the upper one, whose height depends on its text. */
export function edgeOf(from: Placed, to: Placed, isNarrow: boolean) {
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

function waitingText(state: StageState): string {
  const parts = [
    state.waiting > 0 && `${formatNumber(state.waiting)} wait for credits`,
    state.over_limit > 0 && `${formatNumber(state.over_limit)} over the limit`,
    state.refused > 0 && `${formatNumber(state.refused)} refused`,
  ];
  return parts.filter(Boolean).join(', ');
}

function tableOf(stage: Stage): string | undefined {
  return hasTarget(stage) && stage.sink?.mode === 'database' ? stage.sink.table : undefined;
}

/** What a stage has done so far. */
function StageCounts({ state }: { state: StageState }) {
  const { counts } = state;
  return (
    <>
      <div className="small">
        {formatNumber(doneOf({ counts }))} of {formatNumber(counts.total)}
        {counts.failed > 0 && <span className="bad-text"> · {formatNumber(counts.failed)} failed</span>}
      </div>
      <Progress {...counts} />
      {waitingText(state) !== '' && <div className="small soft">{waitingText(state)}</div>}
    </>
  );
}

interface StageNodeProps {
  stage: Stage;
  state: StageState | undefined;
  /** The path by which it takes its own results. */
  own: string | undefined;
}

function StageNode({ stage, state, own }: StageNodeProps) {
  const table = tableOf(stage);
  return (
    <>
      <div className="row">
        <strong className="grow truncate">{stage.name}</strong>
        {state && <RunStatus status={state.status} failed={state.counts.failed} isCounted />}
      </div>
      <div className="soft small truncate">
        {hasTarget(stage) ? <TargetName target={stage.target} /> : 'crawls a site'}
      </div>
      {state && <StageCounts state={state} />}
      {own !== undefined && (
        <div className="small soft truncate" title={`Follows ${own} of its own results`}>
          ↻ follows <code>{own}</code>
        </div>
      )}
      {table !== undefined && <div className="small soft truncate">→ rows of {table}</div>}
    </>
  );
}

interface StageGraphProps {
  stages: readonly Stage[];
  states?: readonly StageState[] | undefined;
  selected?: number | undefined;
  faulty?: number | undefined;
  onSelect?: (index: number) => void;
}

/** The stages of a workflow from left to right, on a phone from top to bottom, with what moves along their edges. */
export function StageGraph({ stages, states, selected, faulty, onSelect }: StageGraphProps) {
  const isNarrow = useNarrow();
  const places = placesOf(stages, isNarrow);
  const stateOf = ({ name }: Stage) => states?.find((state) => state.name === name);
  const edges = places.flatMap((to) =>
    sourcesOf(stages, to.index).flatMap((source, at) => {
      const from = places.find(({ stage }) => stage.name === source.stage);
      if (!from || from === to) return [];
      const state = stateOf(to.stage);
      const text = (state === undefined ? '' : `${formatNumber(state.counts.total)} · `) + source.path;
      return [{ key: `${from.index}-${to.index}-${at}`, text, ...edgeOf(from, to, isNarrow) }];
    }),
  );
  const size = sizeOf(places, isNarrow);
  return (
    <div className={styles.graph} role="region" aria-label="Stages" tabIndex={0}>
      <div className={styles.canvas} style={size}>
        <svg {...size} className={styles.edges} aria-hidden>
          {edges.map(({ key, line, head }) => (
            <g key={key}>
              <path d={line} />
              <path d={head} />
            </g>
          ))}
        </svg>
        {edges.map(({ key, text, left, top, labelWidth }) => (
          <code key={key} className={styles.label} style={{ left, top, maxWidth: labelWidth }} title={text}>
            {text}
          </code>
        ))}
        {places.map(({ stage, index, left, top }) => (
          <button
            key={index}
            type="button"
            disabled={onSelect === undefined}
            aria-pressed={onSelect && selected === index}
            className={`${styles.node} ${selected === index ? styles.selected : ''} ${faulty === index ? styles.faulty : ''}`}
            style={{ left, top, width: NODE_WIDTH }}
            onClick={() => onSelect?.(index)}
          >
            <StageNode
              stage={stage}
              state={stateOf(stage)}
              own={sourcesOf(stages, index).find((source) => source.stage === stage.name)?.path}
            />
          </button>
        ))}
      </div>
    </div>
  );
}
