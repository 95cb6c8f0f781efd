import type { Command } from 'commander';
import { registerScrape } from './extraction/scrape.ts';
import { registerOperations } from './operations/operation-commands.ts';
import { registerCrawls } from './runs/crawl.ts';
import { registerSubmitting } from './runs/submit.ts';

/**
 * Adds the commands whose options are those of operations.
 * @param words of the command line: commands that they don't name get no options
 */
export function registerAll(program: Command, words: readonly string[]): void {
  registerScrape(program, words);
  registerCrawls(program, words);
  registerSubmitting(program, words);
  registerOperations(program, words);
}
