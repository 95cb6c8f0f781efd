import { expect, inject, it } from 'vitest';
import { suggestSchema } from '../suggest/suggest.ts';
import { outlinePage } from './outline-page.ts';

const rows = Array.from(
  { length: 20_000 },
  (_, n) => `<li class="c${n}"><a href="/${n}">n ${n}</a><b>$${n}</b></li>`,
);
const body = `<ul>${rows.join('')}</ul>`;
const ids = Array.from({ length: 12_000 }, (_, n) => `<div id="i${n}"><h2>t${n}</h2><i>s</i></div>`).join('');

it('suggests and outlines in time that grows with the page, not with its square', () => {
  const before = process.threadCpuUsage();
  // No text of the page is the example, so each element is searched for a part of it.
  const { fields } = suggestSchema([{ body, examples: { none: 'x' } }, { body }]);
  expect(fields).toHaveLength(1);
  expect(outlinePage({ body: ids }, 20_000).headings).toHaveLength(60);
  if (inject('isLong')) expect(process.threadCpuUsage(before).user).toBeLessThan(20_000_000);
});
