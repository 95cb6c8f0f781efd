import { PAGE_PARSER } from '@gleaner/contracts/values';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call, operationQuery } from '../api/call.ts';
import { useNamed } from '../api/names.ts';
import { MADE, tableNameOf, type SinkChoice } from './sink.ts';

/** Batches among which the database that was used last is looked for. */
const LOOKED_AT = 20;

/**
 * Where the results of a target go unless a person chooses: a table named after it in the database that was used last.
 * @param database the database to use in any case
 * @returns undefined until it is known, and without a target
 */
export function useProposedSink(target: string | null, database: string | undefined): SinkChoice | undefined {
  const batches = useQuery(operationQuery('listBatches', { query: { limit: LOOKED_AT } }));
  const databases = useQuery(operationQuery('listDatabases', { query: { limit: 1 } }));
  const [type = '', id = ''] = target?.split(':') ?? [];
  const named = useNamed(type === 'parser' ? id : undefined);
  const sinks = batches.data?.batches.map(({ sink }) => sink);
  const used = sinks?.find(({ mode }) => mode === 'database')?.['database'];
  const last = useNamed(typeof used === 'string' ? used : undefined);
  const isKnown =
    batches.data !== undefined && databases.data !== undefined && (used === undefined || last !== undefined);
  const place = database ?? last?.id ?? databases.data?.databases[0]?.id ?? MADE;
  const isNamed = type === 'api' || id === PAGE_PARSER;
  const name = isNamed ? id : named === undefined ? undefined : (named?.name ?? '');
  return useMemo(
    () =>
      !isKnown || name === undefined
        ? undefined
        : { database: place, table: tableNameOf(name), onDrift: type === 'api' ? undefined : 'quarantine' },
    [isKnown, name, place, type],
  );
}

/** The choice with its database, which is made if the run has to make it. */
export async function madeSink(sink: SinkChoice): Promise<SinkChoice> {
  if (sink.database !== MADE) return sink;
  const { id } = await call('createDatabase', { body: { name: 'results', kind: 'managed' } });
  return { ...sink, database: id };
}
