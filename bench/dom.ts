import { createHash } from 'node:crypto';
import { compileParser, extract } from '@gleaner/extractors';
import { readOracle, readPages, type Oracle } from './pages.ts';

function collapse(text: string): string {
  return text.replaceAll(/[\s\u00a0]+/g, ' ').trim();
}

/** The oracle's selectors as a schema: rows of one value each, because an absent value is left out of a plain list. */
function schemaOf(oracle: Oracle): ReturnType<typeof compileParser> {
  return compileParser({
    fields: Object.fromEntries(
      Object.entries(oracle.selectors).map(([name, [css, what]]) => [
        name,
        what === 'count'
          ? { css, take: 'count' }
          : {
              css,
              take: 'all',
              fields: { value: what === 'text' ? { css: ':scope', attr: 'raw_text' } : `@${what}` },
            },
      ]),
    ),
  });
}

function textOf(row: unknown): string {
  return typeof row === 'object' && row !== null && 'value' in row && typeof row.value === 'string'
    ? row.value
    : '';
}

function sha1(values: readonly string[]): string {
  return createHash('sha1').update(JSON.stringify(values)).digest('hex');
}

/** How many of Chromium's answers about the real pages the engine gives, and which it does not. */
export async function run(): Promise<void> {
  const oracle = readOracle();
  const parser = schemaOf(oracle);
  const disagreements: string[] = [];
  let answers = 0;
  for (const { name, body } of readPages()) {
    const expected = oracle.pages[name];
    if (expected === undefined) continue;
    const result = extract(parser, { body, contentType: 'text/html; charset=utf-8' });
    for (const [field, answer] of Object.entries(expected)) {
      answers += 1;
      const value = result.ok ? result.data[field] : undefined;
      const texts = Array.isArray(value) ? value.map((row) => collapse(textOf(row))) : [];
      const agrees = typeof answer === 'number' ? value === answer : sha1(texts) === answer.sha1;
      if (agrees) continue;
      const wanted = typeof answer === 'number' ? answer : answer.n;
      const got = Array.isArray(value) ? value.length : value;
      disagreements.push(
        `${name} ${field} ${oracle.selectors[field]?.[0]}: ${String(got)}, Chromium ${wanted}`,
      );
    }
  }
  const agreement = (answers - disagreements.length) / answers;
  console.log(
    `${answers - disagreements.length} of ${answers} answers equal Chromium's (${(agreement * 100).toFixed(2)} %)`,
  );
  for (const line of disagreements) console.log(`  ${line}`);
  console.log(
    JSON.stringify({
      bench: 'dom',
      answers,
      disagreements: disagreements.length,
      agreement,
      met: agreement >= 0.999,
    }),
  );
  if (agreement < 0.999) process.exitCode = 1;
}
