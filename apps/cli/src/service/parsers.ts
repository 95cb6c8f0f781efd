import type { Parser } from '@gleaner/client';
import type { Command } from 'commander';
import { wholeNumber } from '../commands/numbers.ts';
import { note, printJson, printRows } from '../terminal/output.ts';
import type { Row } from '../terminal/table.ts';
import { connect } from './connection.ts';
import { take, withLimit, type ListFlags } from './listing.ts';
import { findParserId } from './named.ts';
import { DEFAULT_FOLDER } from './parser-files.ts';
import { diffParsers, pullParsers, pushParsers } from './push-parsers.ts';
import { testParsers } from './test-parsers.ts';
import { serviceCommand, type ServiceFlags } from './service-command.ts';

function parserRow({ id, name, version, schema, updated_at }: Parser): Row {
  return { id, name, version, fields: Object.keys(schema.fields).length, updated: updated_at };
}

export function registerParsers(program: Command): void {
  const parsers = program.command('parsers').description('parsers, also as files of a repository');
  registerRecords(parsers);
  registerFiles(parsers);
}

function registerRecords(parsers: Command): void {
  withLimit(
    serviceCommand(parsers, {
      name: 'list',
      description: 'parsers, newest first',
      examples: ['parsers list --all'],
    }),
  ).action(async (flags: ListFlags) => {
    const records = await take(connect(flags).parsers.list({ limit: 100 }), flags);
    if (flags.json === true) printJson({ parsers: records });
    else printRows(records.map(parserRow));
  });
  serviceCommand(parsers, {
    name: 'get',
    description: 'one parser as JSON',
    examples: ["parsers get products | jq '.schema'"],
  })
    .argument('<parser>', 'identifier or name')
    .action(async (parser: string, flags: ServiceFlags) => {
      const client = connect(flags);
      printJson(await client.parsers.get(await findParserId(client, parser)));
    });
  withLimit(
    serviceCommand(parsers, {
      name: 'versions',
      description: 'versions of a parser, newest first',
      examples: ['parsers versions products'],
    }).argument('<parser>', 'identifier or name'),
  ).action(async (parser: string, flags: ListFlags) => {
    const client = connect(flags);
    const id = await findParserId(client, parser);
    const versions = await take(client.parsers.listVersions(id, { limit: 100 }), flags);
    if (flags.json === true) return printJson({ versions });
    printRows(
      versions.map(({ version, is_current, restored_from, schema, created_at }) => ({
        version,
        current: is_current ? 'yes' : 'no',
        'restored from': restored_from,
        fields: Object.keys(schema.fields).length,
        created: created_at,
      })),
    );
  });
  serviceCommand(parsers, {
    name: 'restore',
    description: 'make an earlier version the current one',
    examples: ['parsers restore products 3'],
  })
    .argument('<parser>', 'identifier or name')
    .argument('<version>', 'number of the version', wholeNumber(1, 1e9))
    .action(async (parser: string, version: number, flags: ServiceFlags) => {
      const client = connect(flags);
      const restored = await client.parsers.restoreVersion(await findParserId(client, parser), version);
      if (flags.json === true) printJson(restored);
      else printRows([parserRow(restored)]);
    });
  serviceCommand(parsers, {
    name: 'delete',
    description: 'delete a parser',
    examples: ['parsers delete products'],
  })
    .argument('<parser>', 'identifier or name')
    .action(async (parser: string, flags: ServiceFlags) => {
      const client = connect(flags);
      const id = await findParserId(client, parser);
      await client.parsers.delete(id);
      note(`${id} is deleted.`);
    });
}

function withFolder(command: Command): Command {
  return command.option('-d, --dir <folder>', 'folder of the parser files', DEFAULT_FOLDER);
}

function registerFiles(parsers: Command): void {
  withFolder(
    serviceCommand(parsers, {
      name: 'pull',
      description: 'write parsers to files, one each',
      examples: ['parsers pull', 'parsers pull products --dir scraping/parsers'],
    }).argument('[parsers...]', 'identifiers or names; all when absent'),
  )
    .option('-f, --force', 'overwrite changes that were not pushed')
    .action(pullParsers);
  withFolder(
    serviceCommand(parsers, {
      name: 'push',
      description: 'save parser files on the service: new ones are created, changed ones get a version',
      examples: ['parsers push', 'parsers push parsers/products.json --dry-run'],
    }).argument('[files...]', 'all files of the folder when absent'),
  )
    .option('-f, --force', 'push although the service has a newer version')
    .option('--dry-run', 'report what would be pushed')
    .action(pushParsers);
  withFolder(
    serviceCommand(parsers, {
      name: 'diff',
      description: 'what a push would change',
      examples: ['parsers diff', 'parsers diff --check   # in CI: exit 1 when anything differs'],
    }).argument('[files...]', 'all files of the folder when absent'),
  )
    .option('--check', 'exit with 1 when anything differs')
    .action(diffParsers);
  withFolder(
    parsers
      .command('test')
      .description('run parser files over their sample pages, without a service')
      .argument('[files...]', 'all files of the folder when absent'),
  )
    .option('--junit <file>', "also write the results as JUnit's XML")
    .option('-u, --update', 'write what is read now as the expected values')
    .option('--json', 'print {"passed", "failed", "results"} as JSON')
    .addHelpText(
      'after',
      [
        '',
        'The samples of parsers/products.json are parsers/products.samples/*.html. Beside each page NAME.html,',
        'NAME.json holds {"url": its address, "expected": {field: value}}; fields left out are not tested.',
        '',
        'Examples:',
        '  $ gleaner parsers test --update          # the first time, or after a wanted change',
        '  $ gleaner parsers test --junit report.xml',
      ].join('\n'),
    )
    .action(testParsers);
}
