export { leastIntervalSeconds } from './least-interval.ts';
export { nextFiring, nextFirings } from './next-firing.ts';
export { parseSchedule, ScheduleError } from './parse-schedule.ts';
export { isTimeZone } from './time-zone.ts';
