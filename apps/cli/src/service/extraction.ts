import type { Client, ParserSchema } from '@gleaner/client';
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

// The service checks the schema and names the field that is wrong.
function asSchema(value: Record<string, unknown>): ParserSchema {
  return value as unknown as ParserSchema;
}

function requireOne({ parser, schema }: ExtractionFlags): void {
  if ((parser === undefined) === (schema === undefined)) {
    throw new Fault(
      'One of --parser and --schema is required.',
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
    const schema = asSchema(await readSchemaFile(flags.schema));
    const call = client.parsers.preview({ schema, url: page, scrape_config: config, explain });
    return printPreview(await call.answer(), explain);
  }
  const id = await findId(client, 'parsers', flags.parser ?? '');
  const call = client.extraction.scrape(id, { url: page, ...config, ...(explain ? { explain } : {}) });
  const { data, creditsUsed, creditsRemaining } = await call.answer();
  printJson(data);
  noteCredits(creditsUsed, creditsRemaining);
}

async function runParse(path: string, flags: ExtractionFlags & { url?: string }): Promise<void> {
  requireOne(flags);
  const client = connect(flags);
  const explain = flags.explain === true;
  const query = {
    ...(flags.url === undefined ? {} : { url: flags.url }),
    ...(explain ? { explain } : {}),
  };
  if (flags.schema !== undefined) {
    const schema = asSchema(await readSchemaFile(flags.schema));
    const html = await readText(path, 'page');
    const { explain: _, ...address } = query;
    return printPreview(
      await client.parsers.preview({ schema, html, ...address, explain }).answer(),
      explain,
    );
  }
  const id = await findId(client, 'parsers', flags.parser ?? '');
  printJson(await parseFile(client, { id, path, query }));
}

/** Sends the bytes as they are: the service finds the charset as a browser does. */
async function parseFile(
  client: Client,
  { id, path, query }: { id: string; path: string; query: { url?: string; explain?: boolean } },
): Promise<unknown> {
  const content = await openInput(path, 'page');
  const html = { content, filename: 'page.html', contentType: 'text/html' };
  return client.extraction.parseHtmlFromFile(id, { html }, query);
}

interface PreviewAnswer {
  data: { data: unknown; fields: readonly { path: string; error?: string }[]; explain?: unknown };
  creditsUsed: number | undefined;
  creditsRemaining: number | undefined;
}

function printPreview(
  { data: preview, creditsUsed, creditsRemaining }: PreviewAnswer,
  explain: boolean,
): void {
  printJson(explain ? preview : preview.data);
  for (const { path, error } of preview.fields) if (error !== undefined) note(`${path}: ${error}`);
  noteCredits(creditsUsed, creditsRemaining);
}

function noteCredits(used: number | undefined, remaining: number | undefined): void {
  if (process.stderr.isTTY && used !== undefined && used > 0)
    note(`${plural(used, 'credit')} used, ${remaining ?? '?'} left`);
}
