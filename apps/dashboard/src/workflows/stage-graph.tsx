import { Handle, MarkerType, Position, ReactFlow, type Edge, type Node, type NodeProps } from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import { useMemo } from 'react';
import { formatNumber } from '../format/format.ts';
import { Progress } from '../runs/progress.tsx';
import { Status } from '../parts/page.tsx';
import { TargetName } from '../targets/target-name.tsx';
import styles from './stage-graph.module.css';
import { columnsOf, hasTarget, sourcesOf, type Stage, type StageState, type TargetStage } from './stages.ts';

const COLUMN_WIDTH = 400;
const ROW_HEIGHT = 150;

interface StageData extends Record<string, unknown> {
  name: string;
  /** Absent: the stage crawls a site. */
  target: TargetStage['target'] | undefined;
  state: StageState | undefined;
  /** The path by which a stage takes its own results. */
  own: string | undefined;
  table: string | undefined;
  isSelected: boolean;
  isFaulty: boolean;
}

function waitingText(state: StageState): string {
  const parts = [
    state.waiting > 0 ? `${formatNumber(state.waiting)} wait for credits` : '',
    state.over_limit > 0 ? `${formatNumber(state.over_limit)} over the limit` : '',
    state.refused > 0 ? `${formatNumber(state.refused)} refused` : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function StageNode({ data }: NodeProps<Node<StageData>>) {
  const { name, target, state, own, table, isSelected, isFaulty } = data;
  return (
    <div className={`${styles.node} ${isSelected ? styles.selected : ''} ${isFaulty ? styles.faulty : ''}`}>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <div className="row">
        <strong className="grow truncate">{name}</strong>
        {state && <Status status={state.status} />}
      </div>
      <div className="soft small truncate">
        {target === undefined ? 'crawls a site' : <TargetName target={target} />}
      </div>
      {state && (
        <>
          <div className="small">
            {formatNumber(state.counts.succeeded)} of {formatNumber(state.counts.total)}
            {state.counts.failed > 0 && (
              <span className="bad-text"> · {formatNumber(state.counts.failed)} failed</span>
            )}
          </div>
          <Progress {...state.counts} />
          {waitingText(state) !== '' && <div className="small soft">{waitingText(state)}</div>}
        </>
      )}
      {own !== undefined && (
        <div className="small soft truncate" title={`Follows ${own} of its own results`}>
          ↻ follows <code>{own}</code>
        </div>
      )}
      {table !== undefined && <div className="small soft truncate">→ rows of {table}</div>}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  );
}

const NODE_TYPES = { stage: StageNode };

export interface StageGraphProps {
  stages: readonly Stage[];
  states?: readonly StageState[] | undefined;
  selected?: number | undefined;
  faulty?: number | undefined;
  onSelect?: (index: number) => void;
}

function tableOf(stage: Stage): string | undefined {
  return hasTarget(stage) && stage.sink?.mode === 'database' ? stage.sink.table : undefined;
}

/** The places of the stages, and what moves along their edges. */
function layOut({ stages, states, selected, faulty }: Omit<StageGraphProps, 'onSelect'>) {
  const columns = columnsOf(stages);
  const filled = new Map<number, number>();
  const stateOf = (stage: Stage) => states?.find(({ name }) => name === stage.name);
  const nodes = stages.map((stage, index): Node<StageData> => {
    const column = columns[index] ?? 0;
    const row = filled.get(column) ?? 0;
    filled.set(column, row + 1);
    return {
      id: String(index),
      type: 'stage',
      position: { x: column * COLUMN_WIDTH, y: row * ROW_HEIGHT },
      data: {
        name: stage.name,
        target: hasTarget(stage) ? stage.target : undefined,
        state: stateOf(stage),
        own: sourcesOf(stages, index).find((source) => source.stage === stage.name)?.path,
        table: tableOf(stage),
        isSelected: selected === index,
        isFaulty: faulty === index,
      },
      ariaLabel: `Stage ${stage.name}`,
      draggable: false,
      connectable: false,
    };
  });
  const edges = stages.flatMap((stage, index) => {
    const state = stateOf(stage);
    const total = state === undefined ? '' : `${formatNumber(state.counts.total)} · `;
    const others = sourcesOf(stages, index).filter((source) => source.stage !== stage.name);
    return others.map((source, at): Edge => {
      const from = stages.findIndex(({ name }) => name === source.stage);
      return {
        id: `${from}-${index}-${at}`,
        source: String(from),
        target: String(index),
        label: total + source.path,
        animated: state?.status === 'running',
        markerEnd: { type: MarkerType.ArrowClosed },
        focusable: false,
      };
    });
  });
  return { nodes, edges, height: Math.max(1, ...filled.values()) * ROW_HEIGHT + 40 };
}

/** The stages of a workflow from left to right, with what moves along their edges. */
export function StageGraph({ stages, states, selected, faulty, onSelect }: StageGraphProps) {
  const { nodes, edges, height } = useMemo(
    () => layOut({ stages, states, selected, faulty }),
    [stages, states, selected, faulty],
  );
  return (
    <div className={styles.graph} style={{ height: Math.min(560, height) }}>
      <ReactFlow
        key={stages.length}
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        fitView
        fitViewOptions={{ maxZoom: 1, padding: 0.12 }}
        minZoom={0.3}
        maxZoom={1.5}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={onSelect !== undefined}
        zoomOnScroll={false}
        preventScrolling={false}
        proOptions={{ hideAttribution: true }}
        onNodeClick={(_event, { id }) => onSelect?.(Number(id))}
      />
    </div>
  );
}
