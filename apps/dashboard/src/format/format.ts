// The sign-in loads this without the rest.
export { capitalised } from './capitalised.ts';

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** `12,480` */
export function formatNumber(value: number): string {
  return whole.format(value);
}

/** `1 page`, `3 pages` */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

const BYTE_UNITS = ['KB', 'MB', 'GB', 'TB'] as const;

/** `1.2 MB` */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  // A value that would be rounded to 1,000 has the next unit.
  const step = BYTE_UNITS.findIndex((_, at) => bytes < 999.5 * 1000 ** (at + 1));
  const at = step === -1 ? BYTE_UNITS.length - 1 : step;
  const value = bytes / 1000 ** (at + 1);
  return `${value < 10 ? value.toFixed(1) : formatNumber(value)} ${BYTE_UNITS[at]}`;
}

/** `97 %`; never 100 % or 0 % unless it is exactly so. */
export function formatShare(part: number, total: number): string {
  if (total === 0) return '–';
  const percent = (part / total) * 100;
  if (part === total) return '100 %';
  if (part === 0) return '0 %';
  return `${Math.min(99, Math.max(1, Math.round(percent)))} %`;
}

/** `bat_…3hsn`: enough to distinguish identifiers. */
export function shortId(id: string): string {
  const [prefix, rest = ''] = id.split('_', 2);
  return rest.length <= 8 ? id : `${prefix}_…${rest.slice(-6)}`;
}

/** `shop.test/p/1`: an address without what all have. */
export function shortUrl(url: string): string {
  return url.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '');
}

/** The host of an address without `www.`; empty when it is not an address. */
export function shortHost(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '') : '';
}

/** Whether a page has an address to fetch it from: pasted pages may have none, and those of the examples don't exist. */
export function isFetched(url: string): boolean {
  return /^https?:/.test(url) && !new URL(url).hostname.endsWith('.example');
}

const MAX_CELL_CHARACTERS = 300;

function isPlainList(value: unknown): value is (string | number)[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' || typeof item === 'number');
}

/** One value of a table cell in one line. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text =
    typeof value === 'string' ? value : isPlainList(value) ? value.join(', ') : JSON.stringify(value);
  return text.length > MAX_CELL_CHARACTERS ? `${text.slice(0, MAX_CELL_CHARACTERS)}…` : text;
}

/** A field of a result; undefined where the result is no object. */
export function memberOf(data: unknown, name: string): unknown {
  return typeof data === 'object' && data !== null ? (data as Record<string, unknown>)[name] : undefined;
}

/** How times of day are written: with 24 hours, as schedules are. */
export const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

const exact = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'medium',
  hourCycle: 'h23',
});
const clock = new Intl.DateTimeFormat(undefined, CLOCK);
const clockWithSeconds = new Intl.DateTimeFormat(undefined, { ...CLOCK, second: '2-digit' });
const dayAndTime = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  ...CLOCK,
});

/** The moment in the reader's zone and in UTC. */
export function formatExact(iso: string): string {
  const date = new Date(iso);
  return `${exact.format(date)}\n${iso.slice(0, 19).replace('T', ' ')} UTC`;
}

/** `14:05:30` */
export function formatClock(iso: string): string {
  return clockWithSeconds.format(new Date(iso));
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

/** The lines of a text that are not blank, without the space around them. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
