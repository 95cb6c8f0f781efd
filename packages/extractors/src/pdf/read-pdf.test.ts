import { describe, expect, it } from 'vitest';
import { writePdf, type PdfText } from '../testing/write-pdf.ts';
import { readPdf } from './read-pdf.ts';

async function read(...given: Parameters<typeof writePdf>) {
  const reading = await readPdf(new Uint8Array(writePdf(...given)));
  if (!reading.ok) throw new Error(reading.detail);
  return reading.value;
}

/** Lines from the top of a page, 14 points apart. */
function lines(texts: readonly (string | PdfText)[], top = 700): PdfText[] {
  return texts.map((text, index) => (typeof text === 'string' ? { text, y: top - 14 * index } : text));
}

const WIDE = 'A line of the body of this document that reaches its right edge';

describe('a PDF', () => {
  it('states its title, its pages and their text in order', async () => {
    const facts = await read([lines(['One', 'two']), lines(['Three'])], { title: 'Annual report' });
    expect(facts).toMatchObject({ title: 'Annual report', pages: 2, text: 'One\ntwo\n\nThree' });
  });

  it('has no title when it names none', async () => {
    expect((await read([lines(['One'])], { title: '  ' })).title).toBeUndefined();
  });

  it('parts paragraphs by space, and joins the lines of one in Markdown', async () => {
    const page = [...lines([WIDE, `${WIDE} and`, 'ends here.']), ...lines(['Next one.'], 620)];
    const { text, markdown } = await read([page]);
    expect(text).toBe(`${WIDE}\n${WIDE} and\nends here.\n\nNext one.`);
    expect(markdown).toBe(`${WIDE} ${WIDE} and ends here.\n\nNext one.`);
  });

  it('keeps short lines apart in Markdown, such as those of an address', async () => {
    const { markdown } = await read([lines(['1 High Street', 'Town', 'Country of all the lines here'])]);
    expect(markdown).toBe('1 High Street  \nTown  \nCountry of all the lines here');
  });

  it('makes a parted word whole in Markdown alone', async () => {
    const { text, markdown } = await read([lines([`${WIDE} extrac-`, 'tion ends.'])]);
    expect(text).toContain('extrac-\ntion');
    expect(markdown).toContain('extraction ends.');
  });

  it('has headings by the size of their letters', async () => {
    const page = [
      { text: 'Report', y: 720, size: 24 },
      { text: 'Chapter', y: 680, size: 16 },
      ...lines([WIDE, WIDE], 650),
      { text: 'Another', y: 600, size: 16 },
      ...lines([WIDE], 580),
    ];
    expect((await read([page])).markdown).toBe(
      `# Report\n\n## Chapter\n\n${WIDE} ${WIDE}\n\n## Another\n\n${WIDE}`,
    );
  });

  it('has lists by their marks', async () => {
    const page = lines(
      ['\u0095 first', '\u0095 second, which', { text: 'goes on', x: 84, y: 672 }, '\u0095 third'].map(
        (line, index) =>
          typeof line === 'string' ? { text: line, y: 700 - 14 * index } : { ...line, y: 700 - 14 * index },
      ),
    );
    expect((await read([page])).markdown).toMatch(/^- first\n- second, which\s+goes on\n- third$/);
  });

  it('has tables by the gaps in their lines', async () => {
    const row = (name: string, price: string, y: number): PdfText[] => [
      { text: name, y },
      { text: price, x: 300, y },
    ];
    const page = [
      ...row('Name', 'Price', 700),
      ...row('Lamp', '9.50', 686),
      ...row('Big | shade', '12.00', 672),
    ];
    const { text, markdown } = await read([page]);
    expect(text).toBe('Name Price\nLamp 9.50\nBig | shade 12.00');
    expect(markdown).toBe('| Name | Price |\n| --- | --- |\n| Lamp | 9.50 |\n| Big \\| shade | 12.00 |');
  });

  it('shows text as it is in Markdown', async () => {
    expect((await read([lines(['*not* <b>bold</b>'])])).markdown).toBe('\\*not\\* \\<b>bold\\</b>');
  });

  it('without text is empty', async () => {
    expect(await read([[]])).toMatchObject({ text: '', markdown: '', pages: 1 });
  });
});

describe('what is no readable PDF says why', () => {
  it.each([
    ['cut', (pdf: Buffer) => pdf.subarray(0, 60)],
    ['only named so', () => Buffer.from('%PDF-1.7\nnothing')],
  ])('%s', async (_name, damage) => {
    const reading = await readPdf(new Uint8Array(damage(writePdf([lines(['One'])]))));
    expect(reading).toMatchObject({ ok: false, detail: expect.stringContaining('the PDF can’t be read') });
  });

  it('a page that is broken leaves the others', async () => {
    const facts = await read([lines(['One']), Buffer.from('no deflated stream'), lines(['Three'])]);
    expect(facts).toMatchObject({ pages: 3, text: 'One\n\nThree' });
  });
});
