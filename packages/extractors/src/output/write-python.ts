import { isJsonSchema, type JsonSchema } from './output-schema.ts';

const NAMES: Readonly<Record<string, string>> = {
  string: 'str',
  // JSON has one kind of number: 12.0 arrives as 12.
  number: 'Union[int, float]',
  integer: 'int',
  boolean: 'bool',
};

function pascal(name: string): string {
  return name
    .replaceAll(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    .replaceAll('_', '');
}

/** Writes types into `classes`, those of nested objects before the ones that use them. @returns the type's name */
function typeOf(schema: JsonSchema, path: string, classes: Map<string, string>): string {
  const { type, anyOf, items, properties, additionalProperties } = schema;
  if (Array.isArray(anyOf)) {
    const [first] = anyOf.filter(isJsonSchema).filter((one) => one['type'] !== 'null');
    return `Optional[${typeOf(first ?? {}, path, classes)}]`;
  }
  if (Array.isArray(type)) {
    const [first] = type.filter((one) => one !== 'null');
    return `Optional[${typeOf({ ...schema, type: first as unknown }, path, classes)}]`;
  }
  if (type === 'array') return `List[${typeOf(isJsonSchema(items) ? items : {}, path, classes)}]`;
  if (type !== 'object') return NAMES[String(type)] ?? 'Any';
  if (isJsonSchema(additionalProperties)) return `Dict[str, ${typeOf(additionalProperties, path, classes)}]`;
  // Fields of two paths can have one name: items_price and items.price.
  let name = path;
  for (let number = 2; classes.has(name); number += 1) name = `${path}${number}`;
  classes.set(name, '');
  const members = Object.entries(Object(properties)).map(([field, inner]) => {
    const written = typeOf(isJsonSchema(inner) ? inner : {}, `${name}${pascal(field)}`, classes);
    return `    "${field}": ${written},\n`;
  });
  classes.delete(name);
  // The functional form takes field names that are words of Python.
  classes.set(name, `${name} = TypedDict("${name}", {\n${members.join('')}})\n`);
  return name;
}

/** The output schema of a parser as Python's typed dictionaries. */
export function writePython(name: string, schema: JsonSchema): string {
  const classes = new Map<string, string>();
  typeOf({ ...schema, type: 'object' }, name, classes);
  return `from typing import Any, Dict, List, Optional, TypedDict, Union\n\n${[...classes.values()].join('\n')}`;
}
