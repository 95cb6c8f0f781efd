import type { Answer, Client } from '@gleaner/client';
import { Fault } from '../fault.ts';
import type { Command } from 'commander';
import { note, plural, printJson } from '../terminal/output.ts';
import { connect, findId, serviceCommand, type ServiceFlags } from './service-command.ts';
import { scrapeConfigOf, withFetchOptions, type FetchFlags } from './fetch-options.ts';
import { openInput, readSchemaFile, readText } from '../read-file.ts';

interface ExtractionFlags extends ServiceFlags {
  parser?: string;
  schema?: string;
  explain?: boolean;
}

export function registerExtraction(program: Command): void {
  const scrape = withParserOptions(
    serviceCommand(program, 'scrape', 'fetch a page and print its data as JSON', [
      'scrape https://shop.example/p/1 --parser products',
      "scrape https://shop.example/p/1 --parser products --browser | jq '.price'",
      'scrape https://shop.example/p/1 --schema product.json --explain',
    ]).argument('<page>', 'address of the page'),
  );
  withFetchOptions(scrape).action(runScrape);
  withParserOptions(
    serviceCommand(program, 'parse', 'print the data of a page that you have, free', [
      'parse page.html --parser products',
      'curl -s https://a.example/ | gleaner parse -p products',
    ]).argument('[file]', 'the page; - is standard input', '-'),
  )
    .option('--url <address>', 'address of the page, the base of its relative URLs')
    .action(runParse);
}

function withParserOptions(command: Command): Command {
  return command
    .option('-p, --parser <parser>', 'parser, by id, slug or name')
    .option('--schema <file>', 'or a schema that is not saved, as JSON')
    .option('--explain', 'also print how each field got its value');
}

function requireOne({ parser, schema }: ExtractionFlags): void {
  if ((parser === undefined) === (schema === undefined)) {
    throw new Fault(
      parser === undefined
        ? 'One of --parser and --schema is required.'
        : 'Give --parser or --schema, not both.',
      '`gleaner parsers list` shows your parsers.',
    );
  }
}

async function runScrape(page: string, flags: ExtractionFlags & FetchFlags): Promise<void> {
  requireOne(flags);
  const client = connect(flags);
  const config = scrapeConfigOf(flags);
  const explain = flags.explain === true;
  if (flags.schema !== undefined) {
    const schema = await readSchemaFile(flags.schema);
    const call = client.parsers.preview({ schema, url: page, scrape_config: config, explain });
    return printPreview(await call.answer(), explain);
  }
  const id = await findId(client, 'parsers', flags.parser ?? '');
  const call = client.extraction.scrape(id, { url: page, ...config, explain: flags.explain });
  const answer = await call.answer();
  printJson(answer.data);
  noteCredits(answer);
}

async function runParse(path: string, flags: ExtractionFlags & { url?: string }): Promise<void> {
  requireOne(flags);
  const client = connect(flags);
  const { url, explain = false } = flags;
  if (flags.schema !== undefined) {
    const schema = await readSchemaFile(flags.schema);
    const html = await readText(path, 'page');
    return printPreview(await client.parsers.preview({ schema, html, url, explain }).answer(), explain);
  }
  const id = await findId(client, 'parsers', flags.parser ?? '');
  // The bytes are sent as they are: the service finds the charset as a browser does.
  const content = await openInput(path, 'page');
  const html = { content, filename: 'page.html', contentType: 'text/html' };
  printJson(await client.extraction.parseHtmlFromFile(id, { html }, { url, explain: flags.explain }));
}

type Preview = Awaited<ReturnType<Client['parsers']['preview']>>;

function printPreview(answer: Answer<Preview>, explain: boolean): void {
  const preview = answer.data;
  printJson(explain ? preview : preview.data);
  for (const { path, error } of preview.fields) if (error !== undefined) note(`${path}: ${error}`);
  if (preview.hint !== undefined) note(preview.hint);
  noteCredits(answer);
}

/** On a terminal, prints the credits that a call used. */
function noteCredits({ creditsUsed: used = 0, creditsRemaining }: Answer<unknown>): void {
  if (process.stderr.isTTY && used > 0)
    note(`${plural(used, 'credit')} used, ${creditsRemaining ?? '?'} left`);
}
