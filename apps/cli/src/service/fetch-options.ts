import { Fault } from '../fault.ts';
import type { ScrapeConfig } from '@gleaner/client';
import type { Command } from 'commander';
import { wholeNumber } from '../numbers.ts';

export interface FetchFlags {
  browser?: boolean;
  wait?: number;
  waitFor?: string;
  proxy?: string;
  country?: string;
  timeout?: number;
  retries?: number;
  header?: string[];
  cookie?: string[];
  robots?: boolean;
}

/** Collects the values of an option that can be repeated. */
export function collectValues(value: string, previous: string[] = []): string[] {
  return [...previous, value];
}

/** Adds the options for fetching pages. */
export function withFetchOptions(command: Command): Command {
  return withPageOptions(command).option('--robots', 'obey robots.txt');
}

/** The same for crawls, which say themselves what robots.txt decides. */
export function withPageOptions(command: Command): Command {
  return command
    .optionsGroup('Fetching:')
    .option('--browser', 'load pages in a browser')
    .option('--wait <seconds>', 'wait after a page has loaded', wholeNumber(0, 60))
    .option('--wait-for <css>', 'wait in the browser until this selector matches')
    .option('--proxy <tier>', 'default, highquality, hardcore, premium or premium:<country>')
    .option('--country <code>', 'country to ask of the proxy')
    .option('--timeout <seconds>', 'limit on one attempt', wholeNumber(1, 120))
    .option('--retries <n>', 'further attempts', wholeNumber(0, 5))
    .option('--header <name:value>', 'header to send; can be repeated', collectValues)
    .option('--cookie <name=value>', 'cookie to send; can be repeated', collectValues);
}

function splitPairs(texts: readonly string[], separator: string, option: string): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf(separator);
      if (at < 1) throw new Fault(`${option} ${JSON.stringify(text)} has no name before a ${separator}`);
      return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
    }),
  );
}

/** The fetch settings that the flags give; undefined when they give none. @throws Fault */
export function scrapeConfigOf(flags: FetchFlags): ScrapeConfig | undefined {
  const { proxy, country, retries, header, cookie } = flags;
  const config: ScrapeConfig = {
    useBrowser: flags.browser,
    waitSeconds: flags.wait,
    waitForBrowser: flags.waitFor,
    proxy,
    country,
    timeoutSeconds: flags.timeout,
    retries,
    headers: header && splitPairs(header, ':', '--header'),
    cookies: cookie && splitPairs(cookie, '=', '--cookie'),
    respectRobots: flags.robots,
  };
  return Object.values(config).some((value) => value !== undefined) ? config : undefined;
}
