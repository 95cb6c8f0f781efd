import { deflateSync } from 'node:zlib';

/** A text at a place, in points from the page's lower left corner. */
export interface PdfText {
  text: string;
  x?: number;
  y: number;
  /** Default 12. */
  size?: number;
}

function contentOf(texts: readonly PdfText[]): Buffer {
  const shown = texts.map(
    ({ text, x = 72, y, size = 12 }) =>
      `BT /F1 ${size} Tf ${x} ${y} Td (${text.replaceAll(/[\\()]/g, String.raw`\$&`)}) Tj ET`,
  );
  return deflateSync(Buffer.from(shown.join('\n'), 'latin1'));
}

/** A PDF of pages, each its texts or its content stream as it is stored (deflated). */
export function writePdf(
  pages: readonly (readonly PdfText[] | Buffer)[],
  { title, catalog = '' }: { title?: string; catalog?: string } = {},
): Buffer {
  const objects: Buffer[] = [];
  const add = (...parts: (string | Buffer)[]): void => {
    objects.push(
      Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part))),
    );
  };
  const kids = pages.map((_, index) => `${5 + 2 * index} 0 R`).join(' ');
  add(`<< /Type /Catalog /Pages 2 0 R ${catalog} >>`);
  add(`<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`);
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>');
  add(title === undefined ? '<< >>' : `<< /Title (${title}) >>`);
  for (const [index, page] of pages.entries()) {
    const content = Buffer.isBuffer(page) ? page : contentOf(page);
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${6 + 2 * index} 0 R >>`,
    );
    add(`<< /Length ${content.length} /Filter /FlateDecode >>\nstream\n`, content, '\nendstream');
  }
  const parts = [Buffer.from('%PDF-1.4\n')];
  const places: number[] = [];
  let size = 9;
  for (const [index, object] of objects.entries()) {
    const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')]);
    places.push(size);
    size += part.length;
    parts.push(part);
  }
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 4 0 R >>\nstartxref\n${size}\n%%EOF`,
    ),
  );
  return Buffer.concat(parts);
}
