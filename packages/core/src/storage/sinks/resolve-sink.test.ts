import { API_IDS, PREBUILT_APIS, type DatabaseSink } from '@gleaner/contracts';
import { describe, expect, it } from 'vitest';
import { chooseKey } from './sink-table.ts';
import { planColumns } from './prepare-table.ts';
import { resolveSink } from './resolve-sink.ts';
import { toRows } from './to-rows.ts';

function sinkTo(rest: Partial<DatabaseSink> = {}): DatabaseSink {
  return {
    mode: 'database',
    database: 'db_1',
    table: 't',
    contract: 'evolve',
    nulls: 'keep',
    ...rest,
  };
}

describe('a prebuilt API', () => {
  it.each(API_IDS)('%s makes rows of its own example, with its natural key', (id) => {
    const api = PREBUILT_APIS[id];
    const resolved = resolveSink(sinkTo(), { type: 'api', api });
    const key = chooseKey(resolved);
    const plan = planColumns({ ...resolved, key, table: undefined });
    const made = toRows(
      { plan, shape: '', table: 't', runId: 'job_1', rowsPath: resolved.sink.rows?.split('.') ?? [] },
      { url: 'http://a/', fetchedAt: '2026-01-01T00:00:00.000Z', data: api.example.answer },
    );
    if ('error' in made) throw new Error(made.error.detail);
    expect(made.rows.length).toBeGreaterThan(0);
    expect(new Set(made.rows.map((row) => row.key)).size).toBe(made.rows.length);
    expect(made.rows.every((row) => row.key !== '')).toBe(true);
  });
});

describe('a parser', () => {
  const schema = {
    fields: {
      title: 'h1',
      page: {
        css: 'main',
        fields: { items: { css: 'li', take: 'all' as const, fields: { sku: { css: 'b', key: true } } } },
      },
    },
  };

  it('gives the columns of its top level, or of the list that sink.rows names', () => {
    const names = (rows?: string) =>
      resolveSink(sinkTo({ rows }), { type: 'parser', schema }).columns.map(({ name }) => name);
    expect(names()).toEqual(['title', 'page']);
    expect(names('$.page.items')).toEqual(['sku']);
    expect(() => names('title')).toThrow('title is not a list of objects');
  });

  it('gives money two columns', () => {
    const priced = { fields: { price: { css: 'b', type: 'money' as const } } };
    const resolved = resolveSink(sinkTo(), { type: 'parser', schema: priced });
    const plan = planColumns({ ...resolved, key: ['_url'], table: undefined });
    expect(plan.columns.slice(3).map(({ name, type }) => `${name} ${type}`)).toEqual([
      'price double precision',
      'price_currency text',
    ]);
    const cellsOf = (price: unknown) => {
      const shape = { plan, shape: '', table: 't', runId: 'job_1', rowsPath: [] };
      const made = toRows(shape, {
        url: 'http://a/',
        fetchedAt: '2026-01-01T00:00:00.000Z',
        data: { price },
      });
      return 'rows' in made && made.rows[0]?.cells.slice(3);
    };
    expect(cellsOf({ amount: 12.5, currency: 'EUR' })).toEqual(['12.5', 'EUR']);
    expect(cellsOf({ amount: 0, currency: null })).toEqual(['0', null]);
    expect(cellsOf(null)).toEqual([null, null]);
  });

  it('gives the key of the fields that it marks', () => {
    expect(chooseKey(resolveSink(sinkTo({ rows: 'page.items' }), { type: 'parser', schema }))).toEqual([
      'sku',
    ]);
    expect(chooseKey(resolveSink(sinkTo(), { type: 'parser', schema }))).toEqual(['_url']);
  });
});
