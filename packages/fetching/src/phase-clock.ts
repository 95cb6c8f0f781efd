import type { TaskPhases } from '@gleaner/contracts';

type PhaseName = keyof TaskPhases;
export type Phase = PhaseName extends `${infer Name}_ms` ? Name : never;

/** Measures the phases of one task. A task is in one phase at a time; a phase that comes again adds up. */
export interface PhaseClock {
  enter(phase: Phase): void;
  /** Between phases. */
  leave(): void;
  /** Ends the phase that is under way. @returns whole milliseconds; undefined when nothing was measured */
  read(): TaskPhases | undefined;
}

export function createPhaseClock(now: () => number = () => performance.now()): PhaseClock {
  const spent: Partial<Record<PhaseName, number>> = {};
  let current: PhaseName | undefined;
  let since = 0;
  const leave = (): void => {
    if (current === undefined) return;
    spent[current] = (spent[current] ?? 0) + now() - since;
    current = undefined;
  };
  return {
    enter: (phase) => {
      leave();
      current = `${phase}_ms`;
      since = now();
    },
    leave,
    read: () => {
      leave();
      const measured = Object.entries(spent).map(([name, ms]) => [name, Math.round(ms)] as const);
      return measured.length === 0 ? undefined : Object.fromEntries(measured);
    },
  };
}
