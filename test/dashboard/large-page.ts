/** 500 KB: a list of 1,400 products after a head with the values that the field reads. */
export function largePage(): string {
  const values = Array.from({ length: 5 }, (_, n) => `<b class="v${n + 1}">value number ${n + 1}</b>`);
  const product = (n: number): string =>
    `<li class="product" data-id="${n}"><h2 class="name"><a href="/p/${n}">Kettle number ${n}</a></h2>` +
    `<p class="about">${'A kettle of steel that whistles when its water boils. '.repeat(4)}</p>` +
    `<p class="price">${n}.50 EUR</p></li>`;
  return `<!doctype html><title>Kettles</title><h1>Kettles</h1><p>${values.join(' ')}</p><ul>${Array.from({ length: 1_400 }, (_, n) => product(n)).join('\n')}</ul>`;
}
