import type { Fields } from '@gleaner/contracts';
import { compileParser, extract } from '@gleaner/extractors';
import { cpuMs } from '../load/cpu-ms.ts';
import { median } from '../load/statistics.ts';

function row(index: number): string {
  return (
    `<tr class="row item-${index}"><td class="name"><a href="/item/${index}">Item <b>${index}</b></a></td>` +
    `<td class="price">${index}.99 €</td><td class="tags"><span>new</span><span>hot</span></td>` +
    `<td class="more"><p class="note">A longer note about item ${index}, in words.</p></td></tr>`
  );
}

function pageOf(rows: number): string {
  return `<!doctype html><title>List</title><table><tbody>${Array.from({ length: rows }, (_, index) => row(index)).join('')}</table>`;
}

const rowFields: Fields = {
  name: '.name a',
  link: '.name a@href',
  price: { css: 'td.price', type: 'number' },
  tags: { css: '.tags > span', take: 'all' },
  note: 'td + td p.note',
  last: 'td:last-child p',
};

function medianCpuMs(rounds: number, work: () => unknown): number {
  work();
  return median(Array.from({ length: rounds }, () => cpuMs(work)));
}

/** Time per row at 1, 4 and 16 times the page, and per field at 1, 4 and 16 times the fields; 1 is linear. */
export function measureGrowth(): { perRow: number; perField: number } {
  const parser = compileParser({ fields: { rows: { css: 'tr.row', take: 'all', fields: rowFields } } });
  const sizes = [250, 1_000, 4_000];
  console.log('\npage size    rows      KB   ms/page   µs/row');
  const perRow = sizes.map((rows) => {
    const body = pageOf(rows);
    const ms = medianCpuMs(9, () => extract(parser, { body }));
    const us = (ms / rows) * 1000;
    console.log(
      `${`${rows / 250}×`.padEnd(9)} ${String(rows).padStart(7)} ${(body.length / 1024).toFixed(0).padStart(7)} ${ms.toFixed(2).padStart(9)} ${us.toFixed(2).padStart(8)}`,
    );
    return us;
  });
  const body = pageOf(250);
  console.log('\nfields    ms/page   µs/field');
  const perField = [12, 48, 192].map((count) => {
    const fields = Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `f_${index}`,
        { css: `tr.item-${index} td:nth-child(${(index % 4) + 1})`, take: 'all' as const },
      ]),
    );
    const wide = compileParser({ fields });
    const ms = medianCpuMs(9, () => extract(wide, { body }));
    console.log(
      `${String(count).padEnd(6)} ${ms.toFixed(2).padStart(10)} ${((ms / count) * 1000).toFixed(1).padStart(10)}`,
    );
    return ms / count;
  });
  console.log();
  return {
    perRow: (perRow.at(-1) ?? NaN) / (perRow[0] ?? NaN),
    perField: (perField.at(-1) ?? NaN) / (perField[0] ?? NaN),
  };
}
