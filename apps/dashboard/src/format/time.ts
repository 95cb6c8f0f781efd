const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const dayAndTime = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});

/** The moment in the reader's zone and in UTC. */
export function formatExact(iso: string): string {
  const date = new Date(iso);
  return `${exact.format(date)}\n${iso.slice(0, 19).replace('T', ' ')} UTC`;
}

/** `just now`, `3 min ago`, `today 14:05`, `5 Mar, 14:05` */
export function formatWhen(iso: string, now: number): string {
  const date = new Date(iso);
  const seconds = Math.round((now - date.getTime()) / 1000);
  if (Math.abs(seconds) < 10) return 'just now';
  if (seconds < 0) return `in ${formatSpan(-seconds)}`;
  if (seconds < 3600) return `${formatSpan(seconds)} ago`;
  const isToday = new Date(now).toDateString() === date.toDateString();
  return isToday ? `today ${clock.format(date)}` : dayAndTime.format(date);
}

/** `5 Mar, 14:05`: a name for what began then. */
export function formatMoment(iso: string): string {
  return dayAndTime.format(new Date(iso));
}

/** `45 s`, `12 min`, `3 h`, `7 days` */
export function formatSpan(seconds: number): string {
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

/** `84 ms`, `1.2 s`, `3 min 05 s`, `2 h 10 min` */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${String(Math.floor(seconds % 60)).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

/** The time between a start and an end; undefined before the end. */
export function formatTook(startedAt: string | null, finishedAt: string | null): string | undefined {
  if (startedAt === null || finishedAt === null) return undefined;
  return formatDuration(Date.parse(finishedAt) - Date.parse(startedAt));
}

/** A moment in the form of `datetime-local`, in the reader's own zone. */
export function localText(at: number): string {
  const date = new Date(at);
  return new Date(at - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
