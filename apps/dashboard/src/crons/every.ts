export type EveryUnit = 'minutes' | 'hours';

/** A schedule that fires at even distances: every 5 minutes. */
export interface Every {
  count: number;
  unit: EveryUnit;
}

/** Units in one of the next larger ones, after which cron begins to count again. */
const ROUND: Readonly<Record<EveryUnit, number>> = { minutes: 60, hours: 24 };

/** What a schedule is as "every …"; undefined when it is none. */
export function everyOf(schedule: string): Every | undefined {
  const [, step, hours] = /^(\S+) (\S+) \* \* \*$/.exec(schedule.trim()) ?? [];
  const count = (part: string): number | undefined =>
    part === '*' ? 1 : /^\*\/\d{1,2}$/.test(part) ? Number(part.slice(2)) : undefined;
  if (step === undefined || hours === undefined) return undefined;
  const unit = step === '0' ? 'hours' : 'minutes';
  if (unit === 'minutes' && hours !== '*') return undefined;
  const found = count(unit === 'hours' ? hours : step);
  return found === undefined ? undefined : { count: found, unit };
}

/** The cron schedule, or why there is none: the distances would not be even. */
export function scheduleOfEvery({ count, unit }: Every): { schedule: string } | { fault: string } {
  const round = ROUND[unit];
  if (!Number.isInteger(count) || count < 1 || count >= round || round % count !== 0) {
    const divisors = Array.from({ length: round - 1 }, (_, index) => index + 1).filter(
      (one) => round % one === 0,
    );
    return { fault: `Take ${divisors.slice(0, -1).join(', ')} or ${divisors.at(-1)}` };
  }
  const step = count === 1 ? '*' : `*/${count}`;
  return { schedule: unit === 'minutes' ? `${step} * * * *` : `0 ${step} * * *` };
}
