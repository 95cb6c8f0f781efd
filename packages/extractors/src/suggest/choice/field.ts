import type { FieldObject } from '@gleaner/contracts';
import type { Judged } from './choose.ts';
import type { Program } from './programs.ts';
import type { ValueType } from '../values/wanted.ts';

function sourceWithSteps({ candidate, cut }: Program): Record<string, unknown> {
  return { ...candidate.source, ...(cut.steps.length === 0 ? {} : { transform: [...cut.steps] }) };
}

function commonType(chosen: readonly Judged[]): ValueType {
  return chosen[0]?.program.type ?? 'string';
}

/** The field of the schema language for programs in order. `guard` is a pattern that its values must match. */
export function fieldOf(chosen: readonly Judged[], guard: string | undefined): FieldObject | undefined {
  const type = commonType(chosen);
  const sources = chosen
    .filter(({ program }) => program.type === type)
    .map(({ program }) => sourceWithSteps(program));
  const [first] = sources;
  if (first === undefined) return undefined;
  const typed = type === 'string' ? {} : { type };
  const assert =
    type === 'string' && guard !== undefined
      ? { assert: { pattern: guard, on_fail: 'null' as const } }
      : type === 'string'
        ? {}
        : { assert: { on_fail: 'null' as const } };
  if (sources.length === 1) return { ...first, ...typed, ...assert };
  return { any: sources, ...typed, ...assert };
}
