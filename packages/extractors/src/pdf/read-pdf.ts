import { getDocument } from 'unpdf/pdfjs';
import { writeMarkdown } from '../content/write-markdown.ts';
import { groupLines, measureSizes, toBlocks, writeText } from './pdf-blocks.ts';
import type { PdfReading } from './pdf-facts.ts';
import { toLines, type PdfItem, type PdfLine } from './pdf-lines.ts';

/** Characters of all pages together. */
const MAX_CHARACTERS = 8_000_000;

const TOO_LONG = `the PDF has more than ${MAX_CHARACTERS.toLocaleString('en')} characters`;

/** Nothing of the system is used: no font, no file beside the PDF, no code that it brings. */
const SAFE = {
  isEvalSupported: false,
  useSystemFonts: false,
  disableFontFace: true,
  useWorkerFetch: false,
  useWasm: false,
  enableXfa: false,
  stopAtErrors: false,
  verbosity: 0,
} as const;

type PdfDocument = Awaited<ReturnType<typeof getDocument>['promise']>;

/** The lines of one page; undefined when it can't be read. */
async function readLines(document: PdfDocument, number: number): Promise<PdfLine[] | undefined> {
  try {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    page.cleanup();
    return toLines(items.filter((item): item is typeof item & PdfItem => 'str' in item));
  } catch {
    return undefined;
  }
}

async function titleOf(document: PdfDocument): Promise<string | undefined> {
  try {
    const { info, metadata } = await document.getMetadata();
    const titles: unknown[] = ['Title' in info ? info.Title : undefined, metadata?.get('dc:title')];
    return titles.find((title): title is string => typeof title === 'string' && title.trim() !== '')?.trim();
  } catch {
    return undefined;
  }
}

/**
 * Reads the text of a PDF. It takes the memory and the time that the PDF asks for, so it runs in a process of its own.
 * @param data given away: it is empty afterwards
 */
export async function readPdf(data: Uint8Array): Promise<PdfReading> {
  let document: PdfDocument;
  try {
    document = await getDocument({ ...SAFE, data }).promise;
  } catch (error) {
    const isLocked = error instanceof Error && error.name === 'PasswordException';
    return {
      ok: false,
      detail: isLocked ? 'the PDF asks for a password' : 'the PDF can’t be read: it is broken',
    };
  }
  const pages: PdfLine[][] = [];
  let length = 0;
  let readable = 0;
  for (let number = 1; number <= document.numPages; number += 1) {
    const lines = await readLines(document, number);
    if (lines !== undefined) readable += 1;
    for (const { cells } of lines ?? []) for (const cell of cells) length += cell.length;
    if (length > MAX_CHARACTERS) return { ok: false, detail: TOO_LONG };
    pages.push(lines ?? []);
  }
  if (readable === 0) return { ok: false, detail: 'the PDF can’t be read: all of its pages are broken' };
  const sizes = measureSizes(pages);
  const groups = pages.map(groupLines).filter((page) => page.length > 0);
  return {
    ok: true,
    value: {
      title: await titleOf(document),
      text: groups.map(writeText).join('\n\n'),
      markdown: writeMarkdown(groups.flatMap((page) => toBlocks(page, sizes))),
      pages: document.numPages,
    },
  };
}
