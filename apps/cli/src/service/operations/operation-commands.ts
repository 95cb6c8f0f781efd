import { Option, type Command } from 'commander';
import { OPERATIONS } from './operations.ts';
import { wholeNumber } from '../../numbers.ts';
import { hasNames } from '../connection/find-id.ts';
import { serviceCommand } from '../connection/service-command.ts';
import { GROUPS, type GroupName } from '../records/records.ts';
import { withBody, type ReadBody } from './body-options.ts';
import { callOperation, SHOWN } from './call-operation.ts';
import { EXAMPLES, exampleFor, WORDS } from './examples.ts';
import type { Operation } from '../inputs/operation.ts';
import { operationOf, placeOf, type Place } from './table.ts';
import { kebabCase, phrase } from './wording.ts';

/** Commands that give a field of an operation by themselves. */
const PRESET = [
  { name: 'pause', about: 'pause a cron', fields: { enabled: false } },
  { name: 'resume', about: 'resume a cron', fields: { enabled: true } },
];

/** The command of a group, which is added when it is first asked for. */
export function groupCommand(program: Command, group: GroupName): Command {
  const { word, about } = GROUPS[group];
  return program.commands.find((one) => one.name() === word) ?? program.command(word).description(about);
}

function addParameters(command: Command, { params }: Operation, group: GroupName): void {
  for (const param of params) {
    if (param !== 'id') command.argument(`<${kebabCase(param)}>`);
    else command.argument(`<${GROUPS[group].one}>`, hasNames(group) ? 'id, slug or name' : 'id');
  }
}

/** Options of a query: those of a list, of an export, and the fields that the operation filters by. */
function addQuery(command: Command, { id, query, isStream, list }: Operation): void {
  for (const { path, about, kind, choices } of query) {
    if (['limit', 'formulas', 'cursor'].includes(path)) continue;
    const isSwitch = kind === 'switch' || choices?.includes('true') === true;
    const option = new Option(`--${kebabCase(path)}${isSwitch ? '' : ' <value>'}`, phrase(about));
    if (!isSwitch && choices) option.choices(choices);
    command.addOption(isStream && path === 'format' ? option.default('csv') : option);
  }
  if (list !== undefined) {
    const about = `print at most this many (a terminal: ${SHOWN}, a pipe: all)`;
    command.option('-n, --limit <n>', about, wholeNumber(1, 1e9)).option('-a, --all', 'print all of them');
  }
  if (id === 'exportWorkflowRunResults')
    command.option('--urls', 'instead: the addresses that a crawl or map found');
  if (isStream === true)
    command
      .option('--keep-formulas', 'csv: no apostrophe before cells that a spreadsheet would run as formulas')
      .option('-o, --output <file>', 'write to this file instead of standard output');
}

function addCommand(parent: Command, operation: Operation, { group, name }: Place): void {
  const examples = EXAMPLES[operation.id] ?? [exampleFor(operation, `${parent.name()} ${name}`)];
  const command = serviceCommand(parent, name, phrase(operation.summary), examples);
  addParameters(command, operation, group);
  const word = WORDS[operation.id];
  if (operation.body)
    command.argument(
      '[fields...]',
      `${word === undefined ? '' : `the ${word}, or `}name=value each, one JSON object, or - for JSON on standard input`,
    );
  addQuery(command, operation);
  const read: ReadBody | undefined = operation.body && withBody(command, { ...operation, word });
  command.action(() => callOperation({ operation, group, command, read }));
}

/** Adds a command for each operation that has none written by hand. */
export function registerOperations(program: Command): void {
  for (const operation of OPERATIONS) {
    const place = placeOf(operation);
    if (place) addCommand(groupCommand(program, place.group), operation, place);
  }
  const operation = operationOf('updateCron');
  for (const { name, about, fields } of PRESET) {
    const command = serviceCommand(groupCommand(program, 'crons'), name, about, [`crons ${name} prices`]);
    addParameters(command, operation, 'crons');
    const read = async (): Promise<object> => ({ ...fields });
    command.action(() => callOperation({ operation, group: 'crons', command, read: read as ReadBody }));
  }
}
