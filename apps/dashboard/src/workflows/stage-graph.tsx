import { formatNumber } from '../format/format.ts';
import { Status } from '../parts/page.tsx';
import { Progress } from '../runs/progress.tsx';
import { TargetName } from '../targets/target-name.tsx';
import styles from './stage-graph.module.css';
import { columnsOf, hasTarget, sourcesOf, type Stage, type StageState } from './stages.ts';

const COLUMN_WIDTH = 370;
const NODE_WIDTH = 210;
const ROW_HEIGHT = 150;
/** Where edges meet a stage, below its top. */
const EDGE_TOP = 30;
const MARGIN = 24;

/** A stage at its place in the graph. */
interface Placed {
  stage: Stage;
  index: number;
  left: number;
  top: number;
}

function waitingText(state: StageState): string {
  const parts = [
    state.waiting > 0 ? `${formatNumber(state.waiting)} wait for credits` : '',
    state.over_limit > 0 ? `${formatNumber(state.over_limit)} over the limit` : '',
    state.refused > 0 ? `${formatNumber(state.refused)} refused` : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
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
        {formatNumber(counts.succeeded)} of {formatNumber(counts.total)}
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
        {state && <Status status={state.status} />}
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

/** The places of the stages: each to the right of those that feed it. */
function placesOf(stages: readonly Stage[]): Placed[] {
  const columns = columnsOf(stages);
  const filled = new Map<number, number>();
  return stages.map((stage, index) => {
    const column = columns[index] ?? 0;
    const row = filled.get(column) ?? 0;
    filled.set(column, row + 1);
    return { stage, index, left: MARGIN + column * COLUMN_WIDTH, top: MARGIN + row * ROW_HEIGHT };
  });
}

interface EdgeProps {
  from: Placed;
  to: Placed;
}

/** The arrow between two stages. */
function EdgeLine({ from, to }: EdgeProps) {
  const [x1, y1] = [from.left + NODE_WIDTH, from.top + EDGE_TOP];
  const [x2, y2] = [to.left, to.top + EDGE_TOP];
  const bend = (x2 - x1) / 2;
  return (
    <>
      <path d={`M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2 - 2} ${y2}`} />
      <path d={`M${x2 - 8} ${y2 - 5} L${x2 - 1} ${y2} L${x2 - 8} ${y2 + 5}`} />
    </>
  );
}

/** What moves along an arrow: how many inputs, by which path. */
function EdgeLabel({ from, to, text }: EdgeProps & { text: string }) {
  const left = (from.left + NODE_WIDTH + to.left) / 2;
  const top = (from.top + to.top) / 2 + EDGE_TOP;
  return (
    <code
      className={styles.label}
      style={{ left, top, maxWidth: COLUMN_WIDTH - NODE_WIDTH - 30 }}
      title={text}
    >
      {text}
    </code>
  );
}

export interface StageGraphProps {
  stages: readonly Stage[];
  states?: readonly StageState[] | undefined;
  selected?: number | undefined;
  faulty?: number | undefined;
  onSelect?: (index: number) => void;
}

/** The stages of a workflow from left to right, with what moves along their edges; it scrolls where it is too wide. */
export function StageGraph({ stages, states, selected, faulty, onSelect }: StageGraphProps) {
  const places = placesOf(stages);
  const stateOf = ({ name }: Stage) => states?.find((state) => state.name === name);
  const edges = places.flatMap((to) =>
    sourcesOf(stages, to.index).flatMap((source, at) => {
      const from = places.find(({ stage }) => stage.name === source.stage);
      if (!from || from === to) return [];
      const state = stateOf(to.stage);
      const text = (state === undefined ? '' : `${formatNumber(state.counts.total)} · `) + source.path;
      return [{ key: `${from.index}-${to.index}-${at}`, from, to, text }];
    }),
  );
  const width = Math.max(...places.map(({ left }) => left)) + NODE_WIDTH + MARGIN;
  const height = Math.max(...places.map(({ top }) => top)) + ROW_HEIGHT;
  return (
    <div className={styles.graph} role="region" aria-label="Stages" tabIndex={0}>
      <div className={styles.canvas} style={{ width, height }}>
        <svg width={width} height={height} className={styles.edges} aria-hidden>
          {edges.map(({ key, from, to }) => (
            <EdgeLine key={key} from={from} to={to} />
          ))}
        </svg>
        {edges.map(({ key, ...edge }) => (
          <EdgeLabel key={key} {...edge} />
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
