import { parserSchema, SHARED_ANSWERS, SHARED_PARTS, type Operation } from '@gleaner/contracts';
import { waysOf } from '../../packages/client/src/list-routes.ts';
import { createTypeWriter, resolve, type Language, type Schema, type TypeWriter } from './client-types.ts';

/** Who may call what an API key can't. */
const CALLERS: { readonly [A in Operation['auth']]?: string } = {
  session: 'Only for sessions of the dashboard; an API key is refused.',
  operator: 'Only for the operator’s session of the dashboard.',
  page: 'Only for pages of the dashboard.',
};

export function pascalCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What the comment of an operation says: summary, description, callers and price, a line each. */
export function docOf({ summary, description, credits, auth }: Operation): string {
  const price =
    credits === undefined || credits === 0
      ? []
      : [credits === 'scrape' ? 'Costs credits for each page.' : `Costs ${credits} credits.`];
  const callers = CALLERS[auth];
  return [
    summary,
    ...(description === undefined ? [] : [description]),
    ...(callers === undefined ? [] : [callers]),
    ...price,
  ].join('\n');
}

/** The names of a path's parameters, in order. */
export function paramsOf(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
}

/** Whether a path's parameter is a number: `{n}` is a version, the others are ids. */
export function isNumber(param: string): boolean {
  return param === 'n';
}

/** The two answers of which `dry_run` in the body decides. */
export function dryRunOf(schema: Schema): { dry: Schema; real: Schema } | undefined {
  const isDry = (option: Schema): boolean =>
    resolve({ ...option, $defs: schema.$defs }).properties?.['dry_run']?.const === true;
  const options = schema.anyOf ?? [];
  const [dry, real] = [options.find(isDry), options.find((option) => !isDry(option))];
  return dry && real && options.length === 2 ? { dry, real } : undefined;
}

interface Placed {
  group: string;
  name: string;
}

/** The methods of all operations: each way of calling one, and waiting for the end of what runs. */
export function listMethods<M extends Placed>(
  operations: readonly Operation[],
  methodOf: (operation: Operation, takes: 'body' | 'parts' | undefined) => M,
  waitMethodOf: (operation: Operation) => M | undefined,
): M[] {
  return operations.flatMap((operation) => [
    ...waysOf(operation).map((takes) => methodOf(operation, takes)),
    ...[waitMethodOf(operation)].filter((method) => method !== undefined),
  ]);
}

/** Methods by their groups, in the order of these. @throws when two would have one name */
export function groupMethods<M extends Placed>(methods: readonly M[]): [group: string, methods: M[]][] {
  const groups = Map.groupBy(methods, ({ group }) => group);
  for (const [group, members] of groups) {
    for (const { name } of members) {
      if (members.filter((member) => member.name === name).length > 1) {
        throw new Error(`two operations would be ${group}.${name}: name one in PLACES of place-of.ts`);
      }
    }
  }
  return [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** A writer that knows the schemas that have names wherever they stand. */
export function createServiceTypes(language: Language): TypeWriter {
  const types = createTypeWriter(language);
  types.fix('ParserSchema', parserSchema);
  types.share(SHARED_PARTS, 'input');
  types.share(SHARED_ANSWERS, 'output');
  return types;
}

export const WAIT_DOC =
  'Resolves with the record once it has ended, whether it succeeded, failed or was cancelled.';
