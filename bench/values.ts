import { measureContent } from './values/content.ts';
import { measureFacts } from './values/facts.ts';
import { measurePrices } from './values/prices.ts';
import { measureRobots } from './values/robots.ts';
import { measureWritten } from './values/written.ts';

/** Each measures values that we read of real pages against what people say they are. */
const SECTIONS: Readonly<Record<string, (args: readonly string[]) => void>> = {
  prices: measurePrices,
  robots: measureRobots,
  written: measureWritten,
  content: measureContent,
  facts: measureFacts,
};

/** Runs the sections that the arguments name, or all. */
export function run(args: string[]): Promise<void> {
  const named = Object.keys(SECTIONS).filter((name) => args.includes(name));
  for (const name of named.length === 0 ? Object.keys(SECTIONS) : named) SECTIONS[name]?.(args);
  return Promise.resolve();
}
