import type { Answer, Client } from '@gleaner/client';
import { Fault } from '../../fault.ts';
import type { Command } from 'commander';
import { note, plural, printJson } from '../../terminal/output.ts';
import { connect, type ServiceFlags } from '../connection/connect.ts';
import { findId } from '../connection/find-id.ts';
import { serviceCommand } from '../connection/service-command.ts';
import { openInput, readSchemaFile, readText } from '../../read-file.ts';

export const PARSER = 'parser, by id, slug or name';
export const SCHEMA = 'or a schema that is not saved, as JSON';

export interface ExtractionFlags extends ServiceFlags {
  parser?: string;
  schema?: string;
  explain?: boolean;
}

/** Adds `parse`, which needs nothing of the operations. */
export function registerParse(program: Command): void {
  serviceCommand(program, 'parse', 'print the data of a page that you have, free', [
    'parse page.html --parser products',
    'curl -s https://a.example/ | gleaner parse -p products',
  ])
    .argument('[file]', 'the page; - is standard input', '-')
    .option('-p, --parser <parser>', PARSER)
    .option('--schema <file>', SCHEMA)
    .option('--explain', 'also print how each field got its value')
    .option('--url <address>', 'address of the page, the base of its relative URLs')
    .action(runParse);
}

/** @throws Fault unless there is one of --parser and --schema */
export function requireOne({ parser, schema }: ExtractionFlags): void {
  if ((parser === undefined) === (schema === undefined)) {
    throw new Fault(
      parser === undefined
        ? 'One of --parser and --schema is required.'
        : 'Give --parser or --schema, not both.',
      '`gleaner parsers list` shows your parsers.',
    );
  }
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

export function printPreview(answer: Answer<Preview>, explain: boolean): void {
  const preview = answer.data;
  printJson(explain ? preview : preview.data);
  for (const { path, error } of preview.fields) if (error !== undefined) note(`${path}: ${error}`);
  if (preview.hint !== undefined) note(preview.hint);
  noteCredits(answer);
}

/** On a terminal, prints the credits that a call used. */
export function noteCredits({ creditsUsed: used = 0, creditsRemaining }: Answer<unknown>): void {
  if (process.stderr.isTTY && used > 0)
    note(`${plural(used, 'credit')} used, ${creditsRemaining ?? '?'} left`);
}
