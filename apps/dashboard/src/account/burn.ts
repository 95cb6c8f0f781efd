import type { LedgerKind } from '@gleaner/contracts/values';

/** Credits used on one day. */
export interface Day {
  /** Seconds since the epoch, at midnight of the reader's zone. */
  at: number;
  used: number;
}

interface Entry {
  kind: LedgerKind;
  credits: number;
  created_at: string;
}

function startOfDay(time: number): number {
  const date = new Date(time);
  date.setHours(0, 0, 0, 0);
  return date.getTime();
}

/** Credits used on each of the last days, including today and days without use. */
export function burnByDay(entries: readonly Entry[], days: number, now: number): Day[] {
  const used = new Map<number, number>();
  for (const { kind, credits, created_at: createdAt } of entries) {
    if (kind !== 'settle') continue;
    const day = startOfDay(Date.parse(createdAt));
    used.set(day, (used.get(day) ?? 0) + credits);
  }
  return Array.from({ length: days }, (_, index) => {
    const date = new Date(startOfDay(now));
    date.setDate(date.getDate() - (days - 1 - index));
    return { at: date.getTime() / 1000, used: used.get(date.getTime()) ?? 0 };
  });
}
