import { compileParser, extract } from '@gleaner/extractors';
import { suggestSchema } from '@gleaner/learn';
import { expect, inject, it } from 'vitest';
import { randomList } from './random-list.ts';

it('example rows of a list are read as given, and optional values stay empty in rows that lack them', () => {
  for (let seed = 1; seed <= (inject('isLong') ? 300 : 30); seed += 1) {
    const { html, rows } = randomList(seed);
    const full = rows.filter((row) => Object.values(row).every((value) => value !== null)).slice(0, 2);
    const { schema, fields } = suggestSchema([{ body: html, examples: { items: full } }]);
    const extraction = schema && extract(compileParser(schema), { body: html });
    const read = extraction?.ok ? extraction.data['items'] : undefined;
    expect(read, `seed ${seed}: ${JSON.stringify(schema)} of ${html}`).toEqual(rows);
    expect(fields.flatMap(({ missed }) => missed)).toEqual([]);
  }
});
