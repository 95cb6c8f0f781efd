import { isJsonSchema, type JsonSchema } from './output-schema.ts';

const NAMES: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

function memberLines(properties: unknown, indent: string): string {
  return Object.entries(Object(properties))
    .map(([name, schema]) => `${indent}${name}: ${typeOf(isJsonSchema(schema) ? schema : {}, indent)};\n`)
    .join('');
}

function objectType({ properties, additionalProperties }: JsonSchema, indent: string): string {
  if (isJsonSchema(additionalProperties)) return `Record<string, ${typeOf(additionalProperties, indent)}>`;
  return `{\n${memberLines(properties, `${indent}  `)}${indent}}`;
}

/** One type of a schema: its values, or what its `type` names. */
function singleType(schema: JsonSchema, type: unknown, indent: string): string {
  if (type === 'array') {
    const item = typeOf(isJsonSchema(schema['items']) ? schema['items'] : {}, indent);
    // A union, but not one inside the braces of an object.
    const isUnion = item.endsWith(' | null') || (!item.startsWith('{') && item.includes(' | '));
    return isUnion ? `(${item})[]` : `${item}[]`;
  }
  return type === 'object' ? objectType(schema, indent) : (NAMES[String(type)] ?? 'unknown');
}

function typeOf(schema: JsonSchema, indent: string): string {
  const { type, enum: allowed, anyOf } = schema;
  if (Array.isArray(allowed)) return allowed.map((value) => JSON.stringify(value)).join(' | ');
  if (Array.isArray(anyOf))
    return anyOf
      .filter(isJsonSchema)
      .map((one) => typeOf(one, indent))
      .join(' | ');
  const types: unknown[] = Array.isArray(type) ? type : [type];
  return types.map((one) => singleType(schema, one, indent)).join(' | ');
}

/** The output schema of a parser as a TypeScript interface. */
export function writeTypescript(name: string, schema: JsonSchema): string {
  return `export interface ${name} {\n${memberLines(schema['properties'], '  ')}}\n`;
}
