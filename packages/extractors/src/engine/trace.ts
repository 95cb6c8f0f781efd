import { formatFieldPath } from '@gleaner/contracts';
import type { FieldTrace, SourceTrace } from '../extraction.ts';
import type { PageState } from './page-state.ts';
import type { CompiledField, CompiledSource } from './types.ts';

/** The most rows of a list that are explained, and the most traces in total. */
const EXPLAINED_ROWS = 3;
const EXPLAINED_FIELDS = 2_000;

export function traceField(state: PageState, field: CompiledField): FieldTrace | undefined {
  const { traces, trail } = state;
  if (traces === undefined || traces.length >= EXPLAINED_FIELDS) return undefined;
  if (trail.some((part) => typeof part === 'number' && part >= EXPLAINED_ROWS)) return undefined;
  const type = field.fields === undefined ? field.type : 'object';
  const trace: FieldTrace = { path: formatFieldPath([...trail, field.name]), type, sources: [] };
  traces.push(trace);
  return trace;
}

export function traceSource(trace: FieldTrace | undefined, source: CompiledSource): SourceTrace | undefined {
  if (trace === undefined) return undefined;
  const made: SourceTrace = {
    kind: source.kind,
    selector: source.label,
    matched: 0,
    raw: [],
    steps: [],
    won: false,
  };
  trace.sources.push(made);
  return made;
}
