import { compileParser } from '@gleaner/extractors';
import { createRandom } from '../../test/random.ts';
import type { MadeSite } from './made-site.ts';

/** A made shop: pages that vary as pages of shops do, and changes of its template that leave every field filled. */

export const SHOP_PARSER = compileParser({
  fields: {
    title: { css: '.title' },
    price: { css: '.price', type: 'number' },
    code: { css: '.code' },
    added: { css: '.added' },
    available: { css: '.available', type: 'boolean' },
    text: { css: '.text' },
    offers: {
      css: '.offer',
      take: 'all',
      fields: { seller: { css: '.seller' }, cost: { css: '.cost', type: 'number' } },
    },
  },
});

export interface Product {
  title: string;
  price: string;
  code: string;
  added: string;
  available: string;
  text: string;
  offers: { seller: string; cost: string }[];
}

const NOUNS = ['lamp', 'chair', 'desk', 'shelf', 'sofa', 'rug', 'clock', 'vase', 'mirror', 'stool'];
const KINDS = ['small', 'large', 'oak', 'steel', 'red', 'blue', 'garden', 'office', 'folding', 'classic'];
const SELLERS = [
  'North House',
  'Birch & Sons',
  'Living 24',
  'The Corner Shop',
  'Mainstreet',
  'Warehouse No. 7',
];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

export function dateOf(day: number): { year: number; month: number; day: number } {
  const date = new Date(Date.UTC(2024, 0, 1 + day));
  return { year: date.getUTCFullYear(), month: date.getUTCMonth(), day: date.getUTCDate() };
}

/**
 * Products one after the other. Prices rise by a factor of five within 10,000 products, fall by a third in sales, and
 * variants of a product follow each other with one title and one price.
 */
export function createProducts(seed: number): () => Product {
  const random = createRandom(seed);
  const one = (texts: readonly string[]): string => texts[Math.floor(random() * texts.length)] ?? '';
  let number = 0;
  let variants = 0;
  let title = '';
  let base = 0;
  return () => {
    number += 1;
    if (variants > 0) variants -= 1;
    else {
      variants = random() < 0.1 ? Math.floor(random() * 8) : 0;
      const words = Array.from({ length: 1 + Math.floor(random() * 3) }, () => one(KINDS));
      const mark = random() < 0.15 ? ` ${Math.ceil(random() * 400)} cm` : random() < 0.1 ? ' (new)' : '';
      title = `${words.join(random() < 0.1 ? ', ' : ' ')} ${one(NOUNS)}${mark}`;
      base = Math.exp(4.5 + 1.1 * (random() + random() + random() - 1.5) * 1.4);
    }
    const isSale = number % 2_000 > 1_600;
    const price = base * 5 ** (number / 10_000) * (isSale ? 0.67 : 1);
    const { year, month, day } = dateOf(Math.floor(number / 20 + random() * 60));
    return {
      title,
      price: random() < 0.01 ? `from $${price.toFixed(0)}` : `$${price.toFixed(2)}`,
      code: `${one(['LX', 'KD', 'PT'])}-${1_000 + Math.floor(random() * 9_000)}`,
      added: `${MONTHS[month] ?? ''} ${day}, ${year}`,
      available: random() < 0.85 ? 'yes' : 'no',
      text: Array.from({ length: 20 + Math.floor(random() * 60) }, () => one(KINDS)).join(' '),
      offers: Array.from({ length: 2 + Math.floor(random() * 12) }, () => ({
        seller: one(SELLERS),
        cost: `$${(price * (0.9 + 0.4 * random())).toFixed(2)}`,
      })),
    };
  };
}

export function toHtml(product: Product): string {
  const { title, price, code, added, available, text, offers } = product;
  const rows = offers.map(
    ({ seller, cost }) =>
      `<li class="offer"><b class="seller">${seller}</b> <i class="cost">${cost}</i></li>`,
  );
  return `<!doctype html><title>${title} – Home of Things</title><h1 class="title">${title}</h1>
    <p class="price">${price}</p><p class="code">${code}</p><p class="added">${added}</p>
    <p class="available">${available}</p><p class="text">${text}</p><ul>${rows.join('')}</ul>`;
}

function isoDate(product: Product): string {
  const at = new Date(`${product.added} UTC`);
  return at.toISOString().slice(0, 10);
}

/** Changes after which every field still has a value: of something else. */
const CHANGES: MadeSite<Product>['changes'] = {
  'the price is the shipping, always the same': (product) => ({ ...product, price: 'Shipping: $4.99' }),
  'the price is the shipping, one of three': (product, random) => ({
    ...product,
    price: `Shipping: $${['3.99', '4.99', '6.49'][Math.floor(random() * 3)] ?? ''}`,
  }),
  'the price is the number of reviews': (product, random) => ({
    ...product,
    price: `${Math.floor(random() * 6)} reviews`,
  }),
  'the price is in cents': (product) => ({ ...product, price: product.price.replace('.', '') }),
  'the title is the name of the site': (product) => ({ ...product, title: 'Home of Things' }),
  'the title is the code': (product) => ({ ...product, title: product.code }),
  'the title is the text': (product) => ({ ...product, title: product.text }),
  'the date is written in another way': (product) => ({ ...product, added: isoDate(product) }),
  'the date has its day first': (product) => ({
    ...product,
    added: product.added.replace(/(\w+) (\d+), (\d+)/, '$2 $1 $3'),
  }),
  'the code has another form': (product) => ({ ...product, code: product.code.replace('-', '.00') }),
  'the code is the date': (product) => ({ ...product, code: product.added }),
  'nothing is available': (product) => ({ ...product, available: 'no' }),
  'the text is the title': (product) => ({ ...product, text: product.title }),
  'the list has one row': (product) => ({ ...product, offers: product.offers.slice(0, 1) }),
  'sellers are numbers': (product, random) => ({
    ...product,
    offers: product.offers.map((offer) => ({ ...offer, seller: String(Math.floor(random() * 90_000)) })),
  }),
};

export const SHOP: MadeSite<Product> = {
  name: 'shop',
  parser: SHOP_PARSER,
  create: createProducts,
  toHtml,
  changes: CHANGES,
};
