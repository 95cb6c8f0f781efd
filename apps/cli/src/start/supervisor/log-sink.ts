import { isObject } from '@gleaner/contracts/values';
import { clean } from '../../terminal/clean.ts';

export type Level = 'debug' | 'info' | 'warn' | 'error' | 'fatal';

/** Collects the log lines of all processes. */
export interface LogSink {
  /** Takes a line that a process wrote: JSON from our processes, text from others. */
  line: (process: string, line: string) => void;
  /** Logs a message of the supervisor itself. */
  note: (level: Level, message: string, fields?: Record<string, unknown>) => void;
}

const LEVELS: Record<number, Level> = {
  10: 'debug',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};
const NUMBERS: Record<Level, number> = { debug: 20, info: 30, warn: 40, error: 50, fatal: 60 };
const LEVEL_COLOURS: Record<Level, number> = { debug: 90, info: 32, warn: 33, error: 31, fatal: 35 };
const NAME_COLOURS = [36, 35, 34, 33, 32, 96, 95, 94];
/** Fields that the line already shows, or that don't help at a terminal. */
const QUIET_FIELDS = new Set(['level', 'time', 'msg', 'process', 'name', 'pid', 'hostname']);

/**
 * Prefixes every line with its process. At a terminal the rest is formatted; elsewhere it stays a JSON line.
 * @param write takes one whole line
 */
export function createLogSink(write: (line: string) => void, isTerminal: boolean): LogSink {
  const prefix = (process: string): string => {
    const padded = process.padEnd(10);
    return isTerminal ? `${colour(nameColour(process), padded)} ` : `${padded}| `;
  };
  const emit = (process: string, entry: Record<string, unknown>): void => {
    write(prefix(process) + (isTerminal ? pretty(entry) : JSON.stringify(entry)));
  };
  return {
    line: (process, line) => {
      if (line.trim() === '') return;
      const entry = parseEntry(line);
      if (entry) emit(process, entry);
      else emit(process, { level: 30, time: new Date().toISOString(), process, msg: line });
    },
    note: (level, message, fields = {}) => {
      const time = new Date().toISOString();
      emit('gleaner', { level: NUMBERS[level], time, process: 'supervisor', ...fields, msg: message });
    },
  };
}

function parseEntry(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function pretty(entry: Record<string, unknown>): string {
  const level = LEVELS[Number(entry.level)] ?? 'info';
  const time = new Date(typeof entry.time === 'number' ? entry.time : textOf(entry.time))
    .toString()
    .slice(16, 24);
  const rest = Object.entries(entry)
    .filter(([name]) => !QUIET_FIELDS.has(name) || (name === 'pid' && entry.process === 'supervisor'))
    .map(([name, value]) => colour(90, `${clean(name)}=${textOf(value)}`));
  return [colour(90, time), colour(LEVEL_COLOURS[level], level.padEnd(5)), textOf(entry.msg), ...rest].join(
    ' ',
  );
}

/** Logs name addresses and errors of web pages: the terminal gets them without control characters. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return clean(value);
  // pino's form of an error. Its stack includes name and message.
  if (isObject(value) && typeof value.stack === 'string') return clean(value.stack);
  return clean(JSON.stringify(value) ?? '');
}

function nameColour(name: string): number {
  return (
    NAME_COLOURS[Array.from(name).reduce((sum, char) => sum + char.charCodeAt(0), 0) % NAME_COLOURS.length] ??
    36
  );
}

function colour(code: number, text: string): string {
  return `\u001B[${code}m${text}\u001B[0m`;
}
