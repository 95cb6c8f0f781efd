import type { ParserSchema } from '@gleaner/contracts';

/** Twelve fields of a shop's page. */
export const SCHEMA: ParserSchema = {
  fields: {
    title: { css: 'h1', required: true },
    description: 'meta[name="description"]@content',
    canonical: { css: 'link[rel="canonical"]@href', type: 'url' },
    price: { css: '.offer .price', type: 'number' },
    currency: '.offer .price@data-currency',
    stock: { css: '.offer .stock', type: 'integer' },
    rating: { css: '.rating@data-value', type: 'number' },
    sku: '#sku',
    brand: { css: '.brand a', transform: ['trim', 'upper'] },
    image: { css: 'img.main@src', type: 'url' },
    breadcrumbs: { css: 'nav.crumbs a', take: 'all' },
    reviews: { css: '.review', take: 'count' },
  },
};

const HEAD = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Blue kettle</title>
<meta name="description" content="A kettle that boils a litre in two minutes."><link rel="canonical" href="/kettles/blue"></head><body>
<nav class="crumbs"><a href="/">Home</a><a href="/kitchen">Kitchen</a><a href="/kettles">Kettles</a></nav>
<h1>Blue kettle</h1><div class="brand"><a href="/b">Whistler</a></div><img class="main" src="/i/blue.jpg" alt="">
<div class="offer"><span class="price" data-currency="EUR">1,234.50</span><span class="stock">17</span></div>
<span class="rating" data-value="4.5"></span><p id="sku">WH-2000</p><section>`;

function REVIEW(index: number): string {
  return `<article class="review" id="r${index}"><h3 class="by">Reader ${index}</h3><p class="text">It boils, it whistles, and the handle stays cool. I would buy it again, number ${index}.</p><ul><li>fast</li><li>blue</li></ul></article>\n`;
}

/** A page of about this size with ordinary markup. */
export function buildPage(bytes: number): string {
  let page = HEAD;
  for (let index = 0; page.length < bytes - 40; index += 1) page += REVIEW(index);
  return `${page}</section></body></html>`;
}
