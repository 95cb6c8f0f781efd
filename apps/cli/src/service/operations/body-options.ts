import { isObject } from '@gleaner/contracts/values';
import type { Client } from '@gleaner/client';
import { Option, type Command } from 'commander';
import { Fault } from '../../fault.ts';
import { readJsonObject } from '../../read-file.ts';
import { findId, hasNames } from '../connection/find-id.ts';
import { collectInputs } from '../inputs/read-inputs.ts';
import { isPair, readWords, setAt, splitPairs, toFieldValue, type Body } from '../inputs/read-words.ts';
import { takesUrls } from '../inputs/takes-urls.ts';
import type { Alternatives, Field, Operation } from '../inputs/operation.ts';
import { HEADINGS, shorthandOf, type ShorthandRules } from './shorthands.ts';
import { kebabCase, phrase } from './wording.ts';

/** An option of a field. */
interface FieldOption {
  option: Option;
  field: Field;
  rules?: ShorthandRules | undefined;
}

/** Collects the texts of an option that can be repeated. */
export function append(text: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), text];
}

function valueAt(body: Body, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), body);
}

/** The options of a field: by its shorthand or its own name, and by its whole path, which the help leaves out. */
function optionsOf(field: Field, { id }: Operation, isTaken: (long: string) => boolean): FieldOption[] {
  const { path, kind, isList, about, choices } = field;
  const names = path.split('.').map(kebabCase);
  const isNested = names.length > 1;
  const takes = { switch: '', json: ' <json>', number: ' <n>', text: ' <value>', any: ' <value>' }[kind];
  const found = shorthandOf(path);
  const shorthand = found?.[2]?.only?.test(id) === false ? undefined : found;
  const wanted: FieldOption[] = [];
  const want = (flags: string, text: string, rules?: ShorthandRules): void => {
    const option = new Option(flags, text).hideHelp(text === '' && isNested);
    if (isTaken(option.long ?? '') || wanted.some((other) => other.option.long === option.long)) return;
    const heading = isNested ? HEADINGS[names[0] ?? ''] : undefined;
    if (heading !== undefined) option.helpGroup(heading);
    const isCollected =
      option.required &&
      !option.variadic &&
      (isList === true || rules?.pairs !== undefined || rules?.read !== undefined);
    if (isCollected) option.argParser(append);
    else if (option.required && choices && kind === 'text' && !isList) option.choices(choices);
    wanted.push({ option, field, rules });
  };
  if (shorthand) want(...shorthand);
  if (names[0] !== 'target' && !(shorthand && isNested))
    want(
      `--${names.slice(isNested ? 1 : 0).join('-')}${takes}`,
      `${phrase(about)}${isList === true ? '; can be repeated' : ''}`,
    );
  if (isNested) want(`--${names.join('.')}${takes}`, '');
  const switches = wanted.filter(({ option, rules }) => !option.required && rules?.stands === undefined);
  const negatives = switches.map(({ option }) => new Option(`--no-${option.name()}`).hideHelp());
  return [...wanted, ...negatives.map((option) => ({ option, field }))];
}

/** The field's value by an option that was given. */
async function valueOf({ option, field, rules }: FieldOption, given: unknown): Promise<unknown> {
  if (rules?.stands !== undefined) return rules.stands;
  if (typeof given === 'boolean') return given;
  const texts = [given].flat().map(String);
  if (rules?.read !== undefined) return rules.read(texts);
  if (rules?.pairs === undefined) return toFieldValue(field, texts);
  const pairs = splitPairs(texts, rules.pairs, `value of ${option.long}`);
  return Object.fromEntries(pairs.map(([name, text]) => [name.trim(), text.trim()]));
}

/** Reads the body of an operation from the options of its command. @param words `name=value` each, one JSON object, or `-` */
export type ReadBody = (client: Client, words?: readonly string[]) => Promise<Body>;

interface BodyRules {
  /** Fields that the command gives by itself. */
  without?: readonly string[];
  /** The field that a single word without a name stands for. */
  word?: string | undefined;
}

/** Replaces names of records by their ids. */
async function resolveNames(client: Client, body: Body, fields: readonly Field[]): Promise<void> {
  for (const { path, names = '' } of fields) {
    const group = `${names}s`;
    const text = valueAt(body, path);
    if (hasNames(group) && typeof text === 'string') setAt(body, path, await findId(client, group, text));
  }
}

/**
 * Adds what tells alternatives apart and follows from the rest: `mode: "database"` beside a table. It is that of the first
 * alternative which has all given members.
 */
function addKinds(body: Body, alternatives: readonly Alternatives[]): void {
  for (const { path, fitting } of alternatives) {
    const value = path === '' ? body : valueAt(body, path);
    if (!isObject(value)) continue;
    const found = fitting.find(({ kinds, members }) =>
      Object.entries(value).every(
        ([name, given]) => members.includes(name) && (kinds[name] === undefined || kinds[name] === given),
      ),
    );
    Object.assign(value, { ...(found ?? fitting.at(-1))?.kinds, ...value });
  }
}

/** Operations that run a parser or another target, and can't without. */
const RUNS: ReadonlySet<string> = new Set(['createBatch', 'createJob', 'createCron']);

/** @throws Fault when nothing says what runs: the service would name the field of its API */
function requireTarget(body: Body, options: readonly FieldOption[]): void {
  if (body['target'] !== undefined) return;
  const ways = options.filter(
    ({ option, field }) => !option.hidden && /^target\.(\w+I|i)d$/.test(field.path),
  );
  throw new Fault('Nothing says what to run.', `Give ${ways.map(({ option }) => option.long).join(' or ')}.`);
}

/** Adds an option for each field of an operation's body. @returns what reads them once the command is called */
export function withBody(
  command: Command,
  { without = [], word, ...operation }: Operation & BodyRules,
): ReadBody {
  const { body: all = [], alternatives = [] } = operation;
  const isAsked = ({ path }: Field): boolean => !without.includes(path.replace(/\..*/, ''));
  command.option('--file <file>', 'the fields as a JSON object; - is standard input');
  if (all.some((field) => field.path === 'inputs' && isAsked(field)))
    command.option(
      '--inputs <file>',
      'a file of inputs (CSV, TSV, xlsx, NDJSON, lines), - for standard input, or an input; can be repeated',
      append,
    );
  const isTaken = (long: string): boolean => command.options.some((option) => option.long === long);
  const given = all
    .filter((field) => field.path !== 'inputs' && isAsked(field))
    .flatMap((field) => {
      const options = optionsOf(field, operation, isTaken);
      for (const { option } of options) command.addOption(option);
      return options;
    });
  return async (client, words = []) => {
    const { file, inputs } = command.opts<{ file?: string; inputs?: string[] }>();
    const body = file === undefined ? {} : await readJsonObject(file, 'fields');
    const [first = ''] = words;
    const isWord = word !== undefined && words.length === 1 && !isPair(first) && !/^\s*(\{|-$)/.test(first);
    Object.assign(body, isWord ? { [word]: first } : await readWords(words, all));
    for (const one of given) {
      const value: unknown = command.getOptionValue(one.option.attributeName());
      // `--no-wait` is of the call, and `--wait` of the page.
      if (value === undefined || (value === false && one.field.kind !== 'switch')) continue;
      setAt(body, one.field.path, await valueOf(one, value));
    }
    addKinds(body, alternatives);
    if (file === undefined && RUNS.has(operation.id)) requireTarget(body, given);
    await resolveNames(client, body, all);
    if (inputs !== undefined)
      body['inputs'] = await collectInputs(inputs, {
        takesUrls: await takesUrls(client, body['target']),
        isWhole: body['carry'] != null,
      });
    return body;
  };
}
