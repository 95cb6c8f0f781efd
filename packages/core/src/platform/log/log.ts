import { pino, type LogFn, type Logger } from 'pino';
import { describeError } from './log-error.ts';
import { createFloodGate } from './log-floods.ts';

export type { Logger } from 'pino';

/** Removes keys from text of clients, which may contain their own key. */
export function redactKeys(text: string): string {
  return text.replaceAll(/gln_[0-9A-Za-z]{8}_[0-9A-Za-z]+/g, 'gln_…');
}

/** Repeated warnings may be omitted, because their causes are temporary. All lines of level `error` are written. */
const FLOOD = { lines: 5, windowMs: 10_000 };

type LogArguments = Parameters<LogFn>;

/** Writes JSON lines to standard output, and removes keys anywhere in a line. */
export function createLogger(process: string, level: string): Logger {
  const gate = createFloodGate(FLOOD);
  return pino({
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    base: { process },
    serializers: { err: describeError },
    hooks: {
      streamWrite: redactKeys,
      logMethod(args, method, of) {
        const unsaid = of === pino.levels.values.warn ? gate(textOf(args)) : 0;
        if (unsaid !== undefined) method.apply(this, unsaid === 0 ? args : withUnsaid(args, unsaid));
      },
    },
  });
}

function textOf([first, text]: LogArguments): string {
  return typeof first === 'string' ? first : (text ?? '');
}

function withUnsaid([first, ...rest]: LogArguments, unsaid: number): LogArguments {
  return typeof first === 'object' ? [{ ...first, unsaid }, ...rest] : [first, ...rest];
}
