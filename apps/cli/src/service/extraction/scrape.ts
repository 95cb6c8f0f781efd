import { scrapeWithSchema } from '@gleaner/contracts';
import type { ParserSchema } from '@gleaner/client';
import type { Command } from 'commander';
import { printJson } from '../../terminal/output.ts';
import { connect } from '../connection/connect.ts';
import { findId } from '../connection/find-id.ts';
import { serviceCommand } from '../connection/service-command.ts';
import { withBody, type ReadBody } from '../operations/body-options.ts';
import { noteCredits, PARSER, printPreview, requireOne, type ExtractionFlags } from './parse.ts';

/** Adds `scrape` with the options of the operation. */
export function registerScrape(program: Command, words: readonly string[]): void {
  const command = serviceCommand(program, 'scrape', 'fetch a page and print its data as JSON', [
    'scrape https://shop.example/p/1 --parser products',
    "scrape https://shop.example/p/1 --parser products --browser | jq '.price'",
    'scrape https://shop.example/p/1 --schema product.json --explain',
  ])
    .argument('<page>', 'address of the page')
    .option('-p, --parser <parser>', PARSER);
  const read = withBody(command, scrapeWithSchema, { words, without: ['url'] });
  command.action((page: string, flags: ExtractionFlags) => runScrape(page, flags, read));
}

async function runScrape(page: string, flags: ExtractionFlags, read: ReadBody): Promise<void> {
  requireOne(flags);
  const client = connect(flags);
  const { schema, explain = false, method, body, ...scrape_config } = await read(client);
  if (flags.parser === undefined) {
    // The service checks what it is given, and names the field that is wrong.
    const call = client.parsers.preview({
      schema: schema as ParserSchema,
      url: page,
      scrape_config,
      explain: explain === true,
    });
    return printPreview(await call.answer(), explain === true);
  }
  const id = await findId(client, 'parsers', flags.parser);
  const input = { url: page, ...scrape_config, ...(explain === true ? { explain } : {}) };
  const call =
    method === undefined && body === undefined
      ? client.extraction.scrape(id, input)
      : client.extraction.scrapeAsJson(id, { ...input, method, body } as never);
  const answer = await call.answer();
  printJson(answer.data);
  noteCredits(answer);
}
