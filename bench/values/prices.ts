import { compileParser, extract } from '@gleaner/extractors';
import { readSuite } from './suite.ts';

interface Price {
  text: string | null;
  amount: number | null;
}

const PARSER = compileParser({
  fields: { price: { css: 'p', type: 'number', assert: { on_fail: 'null' } } },
});

function readPrice(text: string): unknown {
  const body = `<p>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</p>`;
  const extraction = extract(PARSER, { url: 'https://shop.example/', body });
  return extraction.ok ? extraction.data.price : null;
}

/** The prices of real pages, each alone on a page without a language. */
export function measurePrices(): void {
  const prices = readSuite<Price>('prices.json');
  let [right, wrong, empty] = [0, 0, 0];
  for (const { text, amount } of prices) {
    const value = readPrice(text ?? '');
    if (value === amount) right += 1;
    else if (value === null) empty += 1;
    else wrong += 1;
    if (value !== amount) console.log(`  ${JSON.stringify(text)} is ${amount}, not ${String(value)}`);
  }
  console.log(
    `prices: ${right} right, ${wrong} wrong, ${empty} empty of ${prices.length} (bar 99.2 %, 0.4 % wrong)`,
  );
}
