import { OUTPUT_FORMATS } from '@gleaner/contracts/values';
import { Option, type Command } from 'commander';
import { writeParserTypes } from './parser-types.ts';
import { DEFAULT_FOLDER } from './parser-files.ts';
import { diffParsers, pullParsers, pushParsers } from './push-parsers.ts';
import { testParsers } from './test-parsers.ts';
import { groupCommand } from '../service/operations/operation-commands.ts';
import { serviceCommand } from '../service/connection/service-command.ts';

function withFolder(command: Command): Command {
  return command.option('-d, --dir <folder>', 'folder of the parser files', DEFAULT_FOLDER);
}

export function registerParsers(program: Command): void {
  const parsers = groupCommand(program, 'parsers');
  withFolder(
    serviceCommand(parsers, 'pull', 'write parsers to files, one each', [
      'parsers pull',
      'parsers pull products --dir scraping/parsers',
    ]).argument('[parsers...]', 'ids, slugs or names; all when absent'),
  )
    .option('-f, --force', 'overwrite changes that were not pushed')
    .action(pullParsers);
  withFolder(
    serviceCommand(
      parsers,
      'push',
      'save parser files on the service: new ones are created, changed ones get a version',
      ['parsers push', 'parsers push parsers/products.json --dry-run'],
    ).argument('[files...]', 'all files of the folder when absent'),
  )
    .option('-f, --force', 'push although the service has a newer version')
    .option('--dry-run', 'report what would be pushed')
    .action(pushParsers);
  withFolder(
    serviceCommand(parsers, 'diff', 'what a push would change', [
      'parsers diff',
      'parsers diff --check   # in CI: exit 1 when anything differs',
    ]).argument('[files...]', 'all files of the folder when absent'),
  )
    .option('--check', 'exit with 1 when anything differs')
    .action(diffParsers);
  serviceCommand(parsers, 'types', 'write the types of parsers’ answers to files, one each', [
    'parsers types',
    'parsers types products --format python --dir shop/types',
  ])
    .argument('[parsers...]', 'ids, slugs or names; all when absent')
    .option('-d, --dir <folder>', 'folder of the files', 'types')
    .addOption(new Option('--format <format>', 'language').choices(OUTPUT_FORMATS).default('typescript'))
    .action(writeParserTypes);
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
