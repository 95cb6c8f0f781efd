import type { Command } from 'commander';
import { Fault } from '../fault.ts';

export interface SourceFlags {
  sitemap?: string;
  feed?: string;
  since?: string;
}

/** @param since what `--since` takes */
export function withSourceOptions(command: Command, since: string): Command {
  return command
    .option('--sitemap <address>', 'the inputs are the addresses of this sitemap')
    .option('--feed <address>', 'the inputs are the addresses of this RSS, Atom or JSON feed')
    .option('--since <time>', since);
}

export const SINCE_TIME = 'leave out what the sitemap or feed dates before, such as 2026-03-01';

/** A time as the service takes it: days and seconds may be written shortly. */
function toTime(text: string): string {
  if (text === 'last_run') return text;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new Fault(`--since: ${text} is no time.`);
  return new Date(time).toISOString();
}

/** `source` and `since` of a call; undefined when the flags name no source. */
export function sourceOf({ sitemap, feed, since }: SourceFlags) {
  if (sitemap !== undefined && feed !== undefined) throw new Fault('Only one of --sitemap and --feed.');
  if (sitemap === undefined && feed === undefined) {
    if (since !== undefined) throw new Fault('--since needs --sitemap or --feed.');
    return undefined;
  }
  return {
    source: { sitemap, feed },
    since: since === undefined ? undefined : toTime(since),
  };
}
