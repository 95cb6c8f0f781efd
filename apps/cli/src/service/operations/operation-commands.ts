import { updateCron, type Operation } from '@gleaner/contracts';
import { Option, type Command } from 'commander';
import { wholeNumber } from '../../numbers.ts';
import { hasNames } from '../connection/find-id.ts';
import { serviceCommand } from '../connection/service-command.ts';
import { GROUPS, type GroupName } from '../records/records.ts';
import { isCalled, withBody } from './body-options.ts';
import { callOperation, SHOWN } from './call-operation.ts';
import { EXAMPLES, exampleFor, WORDS } from './examples.ts';
import { fieldsOf, schemaOf } from './fields.ts';
import { listOperations, placeOf } from './table.ts';
import { kebabCase, phrase } from './wording.ts';

interface Place {
  group: GroupName;
  name: string;
}

/** Commands that give some fields of an operation by themselves. */
const PRESET: readonly (Place & { operation: Operation; about: string; fields: object })[] = [
  { group: 'crons', name: 'pause', operation: updateCron, about: 'pause a cron', fields: { enabled: false } },
  {
    group: 'crons',
    name: 'resume',
    operation: updateCron,
    about: 'resume a cron',
    fields: { enabled: true },
  },
];

function addParameters(command: Command, operation: Operation, group: GroupName): void {
  for (const param of Object.keys(operation.params?.shape ?? {})) {
    if (param !== 'id') command.argument(`<${kebabCase(param)}>`);
    else command.argument(`<${GROUPS[group].one}>`, hasNames(group) ? 'id, slug or name' : 'id');
  }
}

/** Options of a query: those of a list, of an export, and the fields that the operation filters by. */
function addQuery(command: Command, operation: Operation): void {
  const isStream = operation.answer.kind === 'stream';
  for (const { path, about, value } of fieldsOf(schemaOf(operation.query))) {
    const [name = ''] = path;
    if (name === 'limit' || name === 'formulas') continue;
    if (name === 'cursor') {
      command
        .option(
          '-n, --limit <n>',
          `print at most this many (a terminal: ${SHOWN}, a pipe: all)`,
          wholeNumber(1, 1e9),
        )
        .option('-a, --all', 'print all of them');
      continue;
    }
    const isSwitch = value.type === 'boolean' || value.enum?.includes('true') === true;
    const option = new Option(`--${kebabCase(name)}${isSwitch ? '' : ' <value>'}`, phrase(about));
    if (!isSwitch && value.enum) option.choices(value.enum);
    command.addOption(isStream && name === 'format' ? option.default('csv') : option);
  }
  if (!isStream) return;
  command
    .option('--keep-formulas', 'csv: no apostrophe before cells that a spreadsheet would run as formulas')
    .option('-o, --output <file>', 'write to this file instead of standard output');
}

/** @param words of the command line; options of commands that it does not name are not needed */
function addCommand(
  parent: Command,
  operation: Operation,
  { group, name }: Place,
  words: readonly string[],
): void {
  const examples = EXAMPLES[operation.id] ?? [exampleFor(operation, `${parent.name()} ${name}`)];
  const command = serviceCommand(parent, name, phrase(operation.summary), examples);
  if (!isCalled(command, words)) return;
  addParameters(command, operation, group);
  const word = WORDS[operation.id];
  if (operation.body)
    command.argument(
      '[fields...]',
      `${word === undefined ? '' : `the ${word}, or `}name=value each, one JSON object, or - for JSON on standard input`,
    );
  addQuery(command, operation);
  if (operation.id === 'exportWorkflowRunResults')
    command.option('--urls', 'instead: the addresses that a crawl or map found');
  const read = operation.body && withBody(command, operation, { words, word });
  command.action(() => callOperation({ operation, group, command, read }));
}

/**
 * Adds a command for each operation that has none written by hand.
 * @param words of the command line
 */
export function registerOperations(program: Command, words: readonly string[]): void {
  const parentOf = (group: GroupName): Command => {
    const { word, about } = GROUPS[group];
    return program.commands.find((one) => one.name() === word) ?? program.command(word).description(about);
  };
  for (const operation of listOperations()) {
    const place = placeOf(operation);
    if (!place) continue;
    addCommand(parentOf(place.group), operation, place, words);
  }
  for (const { operation, about, fields, ...place } of PRESET) {
    const command = serviceCommand(parentOf(place.group), place.name, about, [
      `${place.group} ${place.name} prices`,
    ]);
    addParameters(command, operation, place.group);
    command.action(() =>
      callOperation({ operation, group: place.group, command, read: async () => ({ ...fields }) }),
    );
  }
}
