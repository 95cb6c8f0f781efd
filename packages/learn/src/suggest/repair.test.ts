import { describe, expect, it } from 'vitest';
import { compileParser, extract } from '@gleaner/extractors';
import { proposeRepair } from './repair.ts';

const NAMES = ['Aria', 'Bolt', 'Cone', 'Dome'];

/** The page after its site changed: other classes, and the price in a list of facts. */
function changed(name: string, price: string): string {
  return `<html><head><title>${name}</title></head><body><div class="top"><h2 class="product-name">${name}</h2></div><ul><li><b>Price:</b> <span class="amount">${price}</span></li><li><b>Colour:</b> red</li></ul></body></html>`;
}

const OLD = {
  fields: {
    name: { css: 'h1.title', required: true },
    price: { css: '.price', type: 'number' as const },
    sku: '.sku',
    kind: { const: 'lamp' },
  },
};

function read(schema: Parameters<typeof compileParser>[0], html: string): unknown {
  const extraction = extract(compileParser(schema), { body: html });
  return extraction.ok ? extraction.data : extraction.failure;
}

describe('proposeRepair', () => {
  const pages = NAMES.map((name, index) => ({
    body: changed(name, `$${index + 10}.50`),
    // One price changed in the meantime.
    earlier: {
      name,
      price: index === 2 ? 99 : index + 10.5,
      sku: `S-${index}${index}${index}`,
      kind: 'lamp',
    },
  }));
  const proposal = proposeRepair(OLD, pages);

  it('learns broken fields again from unchanged values', () => {
    expect(proposal.fields.map(({ path, state }) => [path, state])).toEqual([
      ['name', 'repaired'],
      ['price', 'repaired'],
      ['sku', 'lost'],
      ['kind', 'kept'],
    ]);
    expect(proposal.schema && read(proposal.schema, changed('Edge', '$1,299.00'))).toEqual({
      name: 'Edge',
      price: 1299,
      sku: null,
      kind: 'lamp',
    });
  });

  it('still reads pages of the earlier layout', () => {
    const earlier = '<h1 class="title">Fern</h1><b class="price">$7.25</b><i class="sku">S-9</i>';
    expect(proposal.schema && read(proposal.schema, earlier)).toEqual({
      name: 'Fern',
      price: 7.25,
      sku: 'S-9',
      kind: 'lamp',
    });
  });

  it('drops an earlier source that reads something else now', () => {
    const misled = proposeRepair(
      { fields: { name: 'title' } },
      pages.map((page) => ({
        ...page,
        body: page.body.replace(/<title>.*<\/title>/, '<title>Shop</title>'),
      })),
    );
    expect(misled.fields[0]?.state).toBe('repaired');
    expect(JSON.stringify(misled.schema)).not.toContain('title"');
  });

  it('keeps the settings of a field', () => {
    expect(proposal.schema?.fields['name']).toMatchObject({ required: true });
    expect(proposal.schema?.fields['kind']).toEqual(OLD.fields.kind);
  });

  it('proposes nothing where everything works', () => {
    const html = '<h1 class="title">A</h1><b class="price">5</b><i class="sku">S</i>';
    expect(
      proposeRepair(OLD, [{ body: html, earlier: { name: 'A', price: 5, sku: 'S', kind: 'lamp' } }]).schema,
    ).toBeNull();
  });

  it('finds rows again', () => {
    const rows = {
      fields: { items: { css: '.row', take: 'all' as const, fields: { name: '.n', price: '.p' } } },
    };
    const html = (list: string[]): string =>
      `<table>${list.map((name, index) => `<tr><td><a href="#">${name}</a></td><td>${index + 3} €</td></tr>`).join('')}</table>`;
    const earlier = { items: NAMES.map((name, index) => ({ name, price: `${index + 3} €` })) };
    const { schema } = proposeRepair(rows, [{ body: html(NAMES), earlier }]);
    expect(schema && read(schema, html(['Edge', 'Fern']))).toEqual({
      items: [
        { name: 'Edge', price: '3 €' },
        { name: 'Fern', price: '4 €' },
      ],
    });
    const before = '<div class="row"><b class="n">Gong</b><i class="p">5 €</i></div>';
    expect(schema && read(schema, before)).toEqual({ items: [{ name: 'Gong', price: '5 €' }] });
  });
});
