import { pino, type Logger } from 'pino';

export type { Logger } from 'pino';

/** Takes keys out of text that came from outside: what a client sent may hold its own key. */
export const redactKeys = (text: string): string =>
  text.replaceAll(/gln_[0-9A-Za-z]{8}_[0-9A-Za-z]+/g, 'gln_…');

/** JSON lines on standard output; keys are taken out of every line, wherever they stand in it. */
export const createLogger = (process: string, level: string): Logger =>
  pino({
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    base: { process },
    hooks: { streamWrite: redactKeys },
  });
