import { formatNumber } from '../format/format.ts';
import { RunStatus } from '../parts/page.tsx';
import { useNarrow } from '../parts/use-narrow.ts';
import { Progress } from '../runs/progress.tsx';
import { TargetName } from '../targets/target-name.tsx';
import { edgeOf, NODE_WIDTH, placesOf, sizeOf } from './graph-layout.ts';
import styles from './stage-graph.module.css';
import { hasTarget, sourcesOf, type Stage, type StageState } from './stages.ts';

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

export interface StageGraphProps {
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
