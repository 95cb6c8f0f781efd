import { Fragment, type ReactNode } from 'react';
import { useDocumentTitle } from '@mantine/hooks';
import { capitalised, formatNumber, shortId } from '../format/format.ts';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleMinus,
  IconCircleX,
  IconClock,
  IconLoader2,
} from './icons.ts';

// The sign-in loads these without the rest.
export { Empty, Failure, Loaded, Loading } from './states.tsx';

/** `bat_…3hsn` with the whole identifier on hover. */
export function Id({ id }: { id: string }) {
  return (
    <code title={id} className="soft">
      {shortId(id)}
    </code>
  );
}

const STATUS = {
  pending: { word: 'waiting', icon: <IconClock size={14} /> },
  running: { word: 'running', icon: <IconLoader2 size={14} className="spin" /> },
  succeeded: { word: 'succeeded', icon: <IconCircleCheck size={14} /> },
  delivered: { word: 'delivered', icon: <IconCircleCheck size={14} /> },
  failed: { word: 'failed', icon: <IconCircleX size={14} /> },
  cancelled: { word: 'cancelled', icon: <IconCircleMinus size={14} /> },
  attention: { word: 'needs attention', icon: <IconAlertTriangle size={14} /> },
} satisfies Record<string, { word: string; icon: ReactNode }>;

export type StatusName = keyof typeof STATUS;

/** The choices of a filter by state. */
export function statusChoices<S extends StatusName>(states: readonly S[]): { value: S; label: string }[] {
  return states.map((value) => ({ value, label: capitalised(STATUS[value].word) }));
}

/** A state as icon, word and colour. */
export function Status({ status, word }: { status: StatusName; word?: string }) {
  return (
    <span className={`status ${status}`}>
      {STATUS[status].icon}
      {word ?? STATUS[status].word}
    </span>
  );
}

interface RunStatusProps {
  status: StatusName;
  failed: number;
  /** Rows that are held back. */
  held?: number | undefined;
  /** All that is left of it waits, for a host or for its next attempt. */
  isWaiting?: boolean | undefined;
  /** The number of failures is shown beside it. */
  isCounted?: boolean;
}

/** The state of a run: with failures or rows that are held back, success is not simply green. */
export function RunStatus({
  status,
  failed,
  held = 0,
  isWaiting = false,
  isCounted = false,
}: RunStatusProps) {
  if (isWaiting && status === 'running') return <Status status="pending" />;
  const isFaulty = status === 'succeeded' && failed > 0;
  const found = [
    ...(isFaulty ? [isCounted ? 'with failures' : `${formatNumber(failed)} failed`] : []),
    ...(held > 0 ? [`${formatNumber(held)} held`] : []),
  ];
  if (found.length === 0) return <Status status={status} />;
  const words = isCounted ? found : [STATUS[status].word, ...found];
  return <Status status={status === 'failed' ? status : 'attention'} word={words.join(', ')} />;
}

/** A name and its value; a fact without a value is left out. */
type Fact = readonly [name: string, value: ReactNode];

/** What is known about one thing, beside it. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="facts">
      {facts
        .filter(([, value]) => value !== undefined && value !== false)
        .map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
    </dl>
  );
}

export interface PageProps {
  title: string;
  /** On hover over the title, for example the exact time that it names; without it the title, which may be cut off. */
  hint?: string | undefined;
  /** Shown before the title: links to the parent pages. */
  crumbs?: readonly ReactNode[];
  /** Beside the title: a status, a count. */
  aside?: ReactNode;
  actions?: ReactNode;
  /** A line of filters under the head. */
  filters?: ReactNode;
  /** Text and forms get a margin; tables reach the edges. */
  padded?: boolean;
  children: ReactNode;
}

/** The skeleton of every page: head with actions, filters, body. */
export function Page({ title, hint, crumbs, aside, actions, filters, padded = false, children }: PageProps) {
  useDocumentTitle(`${title} · Gleaner`);
  return (
    <>
      <header className="page-head">
        {crumbs !== undefined && (
          <nav aria-label="Breadcrumb" className="crumb row">
            {crumbs.map((crumb, place) => (
              <Fragment key={place}>
                {crumb}
                <span aria-hidden>/</span>
              </Fragment>
            ))}
          </nav>
        )}
        <h1 title={hint ?? title}>{title}</h1>
        {aside}
        <div className="grow" />
        {actions !== undefined && <div className="row wrap">{actions}</div>}
      </header>
      {filters !== undefined && <Filters>{filters}</Filters>}
      <div className={padded ? 'page-body padded' : 'page-body'}>{children}</div>
    </>
  );
}

/** A line of filters. `/` leads to the first of them. */
export function Filters({ children }: { children: ReactNode }) {
  return (
    <div className="filters" data-filters>
      {children}
    </div>
  );
}
