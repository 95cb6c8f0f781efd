import cronstrue from 'cronstrue';

/** A schedule in words: `At 06:30, Monday through Friday`. Undefined when it isn't one. */
export function sentenceOf(schedule: string): string | undefined {
  // Only five fields: the library also takes seconds and years, which the service refuses.
  if (schedule.trim().split(/\s+/).length !== 5) return undefined;
  try {
    return cronstrue.toString(schedule, { use24HourTimeFormat: true, verbose: true });
  } catch {
    return undefined;
  }
}
