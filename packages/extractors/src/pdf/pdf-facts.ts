/** What is read of a PDF. */
export interface PdfFacts {
  /** The title in its document information; absent when it has none. */
  title?: string | undefined;
  /** Its lines, with an empty line between paragraphs and between pages. */
  text: string;
  markdown: string;
  /** How many pages it has. */
  pages: number;
}

/** What is read of a PDF, or why it can't be read. */
export type PdfReading = { ok: true; value: PdfFacts } | { ok: false; detail: string };

/** Limits on the process that reads one PDF. */
export interface PdfLimits {
  /** Its whole resident memory, of which about 90 MB are its code. */
  maxMemoryMb: number;
  /** Limit of its CPU time: a page does not fail because other work keeps the machine busy. */
  maxCpuMs: number;
}

export const PDF_LIMITS: PdfLimits = { maxMemoryMb: 190, maxCpuMs: 20_000 };

/** Why the process ended without a reading, by its exit code. */
export const PDF_EXITS = { memory: 71, time: 72 } as const;
