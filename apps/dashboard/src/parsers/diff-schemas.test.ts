import { expect, it } from 'vitest';
import { cutText, diffSchemas } from './diff-schemas.ts';

it('names each field that was added, changed or removed, within lists too', () => {
  const before = { fields: { title: 'h1', old: '.old', items: { css: 'li', fields: { a: '.a', b: '.b' } } } };
  const after = { fields: { title: 'h2', items: { css: 'li', fields: { a: '.a', c: '.c' } } } };
  expect(diffSchemas(before, after)).toEqual([
    { path: 'title', kind: 'changed', before: 'h1', after: 'h2' },
    { path: 'items.c', kind: 'added', after: '.c' },
    { path: 'old', kind: 'removed', before: '.old' },
    { path: 'items.b', kind: 'removed', before: '.b' },
  ]);
});

it('sees no change in the two forms of a selector', () => {
  expect(diffSchemas({ fields: { title: 'h1' } }, { fields: { title: { css: 'h1' } } })).toEqual([]);
});

it('says a field in words, and as JSON where the words would leave something out', () => {
  const before = { fields: { price: { css: '.price', type: 'number' } } };
  const texts = (price: object) => diffSchemas(before, { fields: { price } })[0];
  expect(texts({ css: ['.price', '.cost'], type: 'number', required: true })).toMatchObject({
    before: '.price, as a number',
    after: '.price, else .cost, as a number, required',
  });
  expect(texts({ css: '.price', take: 'count' })).toMatchObject({ after: '{"css":".price","take":"count"}' });
  expect(texts({ css: '.price', attr: 'content' })).toMatchObject({
    after: '{"css":".price","attr":"content"}',
  });
});

it('cuts long texts where they differ', () => {
  expect(cutText('.price')).toBe('.price');
  const long = `${'a'.repeat(200)}X${'b'.repeat(200)}`;
  expect(cutText(long)).toBe(`${'a'.repeat(120)}…`);
  const cut = cutText(long, long.replace('X', 'Y'));
  expect(cut).toMatch(/^…a{40}Xb+…$/);
  expect(cut).toHaveLength(122);
  expect(cutText(`${long}!`, long)).toMatch(/^…b{119}!$/);
});
