import { invalid } from '../platform/invalid-request.ts';
import { PREBUILT_APIS, isApiId } from '@gleaner/contracts';
import { compileDataPath, resolvePathSchemas, type JsonSchema } from '@gleaner/extractors';
import { z } from 'zod';
import type { TaskTarget } from '../runs/tasks/task-spec.ts';
import type { StageSource } from './stage-graph.ts';

/**
 * The schemas of the values that a path finds in a stage's results.
 * @throws AppError invalid_request: not a JSONPath, or a path that can never find a value
 */
export function readPathSchemas(field: string, path: string, output: JsonSchema): JsonSchema[] {
  let compiled: ReturnType<typeof compileDataPath>;
  try {
    compiled = compileDataPath(path);
  } catch (error) {
    throw invalid(field, error instanceof Error ? error.message : String(error));
  }
  const found = resolvePathSchemas(compiled, output);
  if ('fault' in found) throw invalid(field, found.fault);
  return found.schemas;
}

/** Lists are taken apart. */
function elements(schema: JsonSchema): JsonSchema {
  const { items } = schema;
  return schema['type'] === 'array' && typeof items === 'object' && items !== null
    ? (items as JsonSchema)
    : schema;
}

function mayBe(schemas: readonly JsonSchema[], types: readonly string[]): boolean {
  return schemas.map(elements).some(({ type, anyOf, properties }) => {
    if (type === undefined && properties === undefined && anyOf === undefined) return true;
    const options = Array.isArray(anyOf)
      ? anyOf.map((one: JsonSchema) => one['type'])
      : Array.isArray(type)
        ? type
        : [type];
    return options.some((option) => option === undefined || types.includes(String(option)));
  });
}

function describe(schemas: readonly JsonSchema[]): string {
  return [
    ...new Set(
      schemas.map((schema) => JSON.stringify(elements(schema)['type'])?.replaceAll('"', '') ?? 'values'),
    ),
  ].join(' or ');
}

/**
 * Checks that a stage can take what its path finds.
 * @throws AppError invalid_request
 */
export function checkSource({ field, path, as }: StageSource, output: JsonSchema, target: TaskTarget): void {
  const schemas = readPathSchemas(field, path, output);
  const asField = field.replace(/path$/, 'as');
  if (target.type !== 'api' || !isApiId(target.id)) {
    if (as !== null) throw invalid(asField, 'applies to prebuilt APIs alone: a parser takes URLs');
    if (!mayBe(schemas, ['string']))
      throw invalid(field, `finds ${describe(schemas)}, and a parser takes URLs`);
    return;
  }
  const { properties = {} } = z.toJSONSchema(PREBUILT_APIS[target.id].input, { io: 'input' });
  const names = Object.keys(properties).join(', ');
  if (as !== null && !Object.hasOwn(properties, as))
    throw invalid(asField, `${target.id} has no parameter ${as}: there are ${names}`);
  if (as === null && !mayBe(schemas, ['object']))
    throw invalid(
      field,
      `finds ${describe(schemas)}, and ${target.id} takes objects of its parameters`,
      `Name in \`as\` which one it is: ${names}.`,
    );
  if (as !== null && !mayBe(schemas, ['string', 'number', 'integer', 'boolean']))
    throw invalid(field, `finds ${describe(schemas)}, which can't be the parameter ${as}`);
}
