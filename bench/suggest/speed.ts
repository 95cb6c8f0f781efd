import { suggestSchema, type SuggestPage } from '@gleaner/learn';
import { cpuMs } from '../load/cpu-ms.ts';
import { median } from '../load/statistics.ts';

const SIZE = 500_000;

/** A shop's page of 500 KB: one product, and as many listed ones as fill it. */
function largePage(index: number): SuggestPage {
  const parts = [
    `<html><head><title>Product ${index} - Shop</title></head><body><div id="main"><h1 class="title">Product ${index}</h1>`,
    `<div class="price">$${100 + index}.99</div><table class="facts"><tr><th>Brand:</th><td>Acme ${index}</td></tr>`,
    `<tr><th>Weight:</th><td>${index + 2} kg</td></tr></table></div><div class="listing">`,
  ];
  let length = parts.join('').length;
  for (let row = 0; length < SIZE; row += 1) {
    const text = `<div class="card"><a class="name" href="/p/${row}">Item ${row} of ${index}</a><span class="cost">$${row}.50</span><p class="note">In stock, ships in ${row % 7} days</p></div>\n`;
    parts.push(text);
    length += text.length;
  }
  parts.push('</div></body></html>');
  const examples = {
    title: `Product ${index}`,
    price: 100 + index + 0.99,
    brand: `Acme ${index}`,
    weight: `${index + 2} kg`,
    first_item: `Item 0 of ${index}`,
  };
  return { body: parts.join(''), url: `https://shop.example/p/${index}`, examples };
}

/** CPU milliseconds of one suggestion from five pages of 500 KB, the median of three. */
export function measureSpeed(): number {
  const pages = [0, 1, 2, 3, 4].map(largePage);
  return median([0, 1, 2].map(() => cpuMs(() => suggestSchema(pages))));
}
