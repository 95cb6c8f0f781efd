import { comment, indent, type Language } from './client-types.ts';

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value);
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ');
}

/** Types as TypeScript. Lists of inputs are readonly, so that constants can be passed. */
export const TYPESCRIPT: Language = {
  words: {
    string: 'string',
    integer: 'number',
    number: 'number',
    boolean: 'boolean',
    null: 'null',
    unknown: 'unknown',
  },
  literals: (values) => union(values.map(literal)),
  union,
  // Objects hold signs of unions themselves.
  list: (item, direction, isUnion) =>
    `${direction === 'input' ? 'readonly ' : ''}${/ [|&] /.test(item) && (isUnion || !item.startsWith('{')) ? `(${item})[]` : `${item}[]`}`,
  tuple: (items, direction) => `${direction === 'input' ? 'readonly ' : ''}[${items.join(', ')}]`,
  dictionary: (value) => `{ [name: string]: ${value} }`,
  jsonText: (isList) => `string | ${isList ? 'readonly unknown[]' : '{ readonly [name: string]: unknown }'}`,
  object: (members) => {
    const lines = members.map(
      ({ key, type, isRequired, description }) =>
        `${comment(description)}${key}${isRequired ? '' : '?'}: ${type};`,
    );
    return `{${indent(`\n${lines.join('\n')}`)}\n}`;
  },
  // Not an interface, which fits no `Record<string, unknown>`.
  declaration: (name, type, description) =>
    `${comment(description)}export type ${name} = ${typeof type === 'string' ? type : TYPESCRIPT.object(type)};`,
};
