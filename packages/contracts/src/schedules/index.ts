export { leastIntervalSeconds } from './next-firing.ts';
export { nextFiring, nextFirings } from './next-firing.ts';
export { parseSchedule, ScheduleError } from './parse-schedule.ts';
export { isTimeZone } from './time-zone.ts';
