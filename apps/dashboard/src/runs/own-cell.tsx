import type { ReactNode } from 'react';
import { When } from '../parts/when.tsx';
import { NamedRun, RunLink } from './run-link.tsx';

const MOMENTS = new Set(['_fetched_at', '_checked_at', '_removed_at']);

/** A value of a row that Gleaner wrote beside those of the page: a moment or a run. Undefined for others. */
export function ownCell(name: string, value: unknown): ReactNode {
  if (typeof value !== 'string' || value === '') return undefined;
  if (name === '_run_id') return <NamedRun id={value} />;
  return MOMENTS.has(name) ? <When at={value} /> : undefined;
}

/** The same where all of a row is shown: a run with its whole identifier. */
export function ownValue(name: string, value: unknown): ReactNode {
  if (name !== '_run_id' || typeof value !== 'string') return ownCell(name, value);
  const [root = ''] = value.split('/');
  return <RunLink id={root}>{value}</RunLink>;
}
