import { describe, expect, it } from 'vitest';
import { elementsByTag, parseHtml } from '@gleaner/html';
import { readTable } from './table.ts';

function read(html: string): unknown {
  const document = parseHtml(html);
  const [table] = elementsByTag(document, 'table');
  if (table === undefined) throw new Error('no table');
  const reading = readTable(document, table);
  return reading.state === 'value' ? reading.value : reading;
}

describe('readTable', () => {
  it('names cells by the header row', () => {
    expect(read('<table><thead><tr><th>A<th> B  b<tbody><tr><td>1<td>2<tr><td>3')).toEqual([
      { A: '1', 'B b': '2' },
      { A: '3', 'B b': null },
    ]);
  });

  it('uses a first row of th as header, and numbers the columns without one', () => {
    expect(read('<table><tr><th>A<th>B<tr><td>1<td>2')).toEqual([{ A: '1', B: '2' }]);
    expect(read('<table><tr><td>1<td>2')).toEqual([{ column_1: '1', column_2: '2' }]);
  });

  it('repeats spanning cells and joins header rows', () => {
    expect(
      read(
        '<table><thead><tr><th rowspan=2>N<th colspan=2>Size<tr><th>w<th>h</thead><tr><td>a<td rowspan=2>1<td>2<tr><td>b<td>3',
      ),
    ).toEqual([
      { N: 'a', 'Size w': '1', 'Size h': '2' },
      { N: 'b', 'Size w': '1', 'Size h': '3' },
    ]);
  });

  it('joins header rows without thead, and leaves titles of groups in the body', () => {
    expect(read('<table><tr><th rowspan=2>N<th colspan=2>Size<tr><th>w<th>h<tr><td>a<td>1<td>2')).toEqual([
      { N: 'a', 'Size w': '1', 'Size h': '2' },
    ]);
    expect(read('<table><tr><th>A<th>B<tr><th colspan=2>Group<tr><td>1<td>2')).toEqual([
      { A: 'Group', B: 'Group' },
      { A: '1', B: '2' },
    ]);
  });

  it('ends spans with the group of rows, and a span of 0 rows there', () => {
    for (const span of [0, 5]) {
      expect(
        read(`<table><tbody><tr><td rowspan=${span}>a<td>1<tr><td>2</tbody><tbody><tr><td>b<td>3</table>`),
      ).toEqual([
        { column_1: 'a', column_2: '1' },
        { column_1: 'a', column_2: '2' },
        { column_1: 'b', column_2: '3' },
      ]);
    }
  });

  it('makes names unique and ignores rows of inner tables', () => {
    expect(read('<table><tr><th>A<th>A<th><tr><td>1<td>2<td><table><tr><td>in</table>')).toEqual([
      { A: '1', A_2: '2', column_3: 'in' },
    ]);
  });

  it('leaves out hidden rows and columns, and repeated headers', () => {
    expect(
      read('<table><tr><th>A<tr hidden><td>x<tbody style="display:none"><tr><td>y<tbody><tr><td>1'),
    ).toEqual([{ A: '1' }]);
    expect(read('<table><tr><th>A<th hidden>B<th>C<tr><td>1<td hidden>2<td>3')).toEqual([{ A: '1', C: '3' }]);
    expect(read('<table><tr><th>A<th>B<tr><td>1<td>2<tr><th>A<th>B<tr><td>3<td>4')).toEqual([
      { A: '1', B: '2' },
      { A: '3', B: '4' },
    ]);
  });

  it('rejects a table with spans that would make it huge', () => {
    expect(read(`<table>${'<tr><td colspan=1000 rowspan=1000>x'.repeat(1_000)}`)).toMatchObject({
      state: 'invalid',
    });
  });
});
