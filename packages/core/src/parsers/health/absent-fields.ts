import { AppError, type HealthState, type ParserSchema } from '@gleaner/contracts';
import { ENGINE } from '@gleaner/db';
import { isObject } from '@gleaner/contracts/values';
import { invalid } from '../../platform/invalid-request.ts';
import type { Perform } from '../../platform/context.ts';
import { updateParser } from '../change-parsers.ts';
import type { ExtractionServices } from '../check-parser-schema.ts';
import { readParser } from '../read-parsers.ts';
import { WHOLE_PAGE, type HealthStats } from '@gleaner/learn/drift';

/**
 * Fields that went missing under the version before, and that no page has given since.
 * @param before the statistics of the version before on the same host
 * @param changedAt when that version's state changed
 */
export function absentAfter(before: HealthStats, changedAt: string): Record<string, string> {
  const missing = Object.entries(before.fields).filter(
    ([path, { isBroken }]) => isBroken && path !== WHOLE_PAGE,
  );
  return { ...Object.fromEntries(missing.map(([path]) => [path, changedAt])), ...before.absent };
}

/** Forgets absent fields that have a value again, or that the version no longer has. */
export function updateAbsent(stats: HealthStats): void {
  const { absent, fields } = stats;
  if (absent === undefined) return;
  const hasFields = Object.keys(fields).some((path) => path !== WHOLE_PAGE);
  const isAbsent = (path: string): boolean => {
    const field = fields[path];
    return field === undefined ? !hasFields : field.filled + field.pending.filled === 0;
  };
  const left = Object.entries(absent).filter(([path]) => isAbsent(path));
  if (left.length === 0) delete stats.absent;
  else stats.absent = Object.fromEntries(left);
}

/** The state as people read it: rows without a field that is absent are written, and still nobody says that all is well. */
export function reportedState(state: HealthState, { absent }: HealthStats): HealthState {
  return state === 'healthy' && absent !== undefined ? 'degraded' : state;
}

/** The schema without the field at this path of names. */
function without(schema: ParserSchema, path: string): ParserSchema {
  const remove = (fields: unknown, [name = '', ...rest]: readonly string[]): unknown => {
    if (!isObject(fields) || !Object.hasOwn(fields, name)) return fields;
    const { [name]: field, ...others } = fields;
    if (rest.length === 0) return others;
    return isObject(field) ? { ...fields, [name]: { ...field, fields: remove(field.fields, rest) } } : fields;
  };
  // Only fields are left out; the caller's check reads the result.
  return { ...schema, fields: remove(schema.fields, path.split('.')) as ParserSchema['fields'] };
}

export const decideAbsentFields: Perform<'decideAbsentFields', ExtractionServices> = async (ctx, call) => {
  const { params, body } = call;
  const { orm, sql } = ctx.services.db;
  const parser = await readParser(orm, ctx.accountId, params.id);
  const rows = await sql<{ path: string }[]>`
    SELECT DISTINCT jsonb_object_keys(stats -> 'absent') AS path FROM gleaner.parser_health
    WHERE parser_id = ${parser.id} AND version = ${parser.version} AND stats ? 'absent'`;
  const known = new Set(rows.map(({ path }) => path));
  const unknown = body.fields.find((path) => !known.has(path));
  if (unknown !== undefined)
    throw invalid(
      'fields',
      `${unknown} is not absent in version ${parser.version}`,
      'getParserHealth lists them.',
    );
  if (body.decision === 'drop') {
    const schema = body.fields.reduce(without, parser.schema);
    if (Object.keys(schema.fields).length === 0)
      throw new AppError('invalid_request', {
        field: 'fields',
        detail: 'the parser would have no field left',
      });
    // Samples that pin a dropped field would refuse the version that the caller asks for.
    const saved = await updateParser(ctx, {
      ...call,
      params: { id: parser.id },
      body: { schema, force: true },
    });
    return { version: saved.version };
  }
  await sql.begin(async (tx) => {
    // The roll-up writes whole statistics that it has read before.
    await tx`SELECT pg_advisory_xact_lock(${tx(ENGINE)}.duty_lock('health'))`;
    await tx`
    UPDATE gleaner.parser_health h SET stats = CASE WHEN k.kept = '{}'::jsonb THEN h.stats - 'absent'
      ELSE jsonb_set(h.stats, '{absent}', k.kept) END
    FROM (SELECT version, host, (stats -> 'absent') - ${[...body.fields]}::text[] AS kept FROM gleaner.parser_health
      WHERE parser_id = ${parser.id} AND version = ${parser.version} AND stats ? 'absent') k
    WHERE h.parser_id = ${parser.id} AND h.version = k.version AND h.host = k.host`;
  });
  return { version: parser.version };
};
