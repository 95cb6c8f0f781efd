import type { FileFact } from '@gleaner/contracts';

/** A response that a page loaded by itself. */
export interface CapturedResponse {
  /** Its final address. */
  url: string;
  /** Its body as text. */
  json: string;
}

/** A file made of a page. */
export interface PageFile {
  fact: FileFact;
  contentType: 'image/png' | 'image/jpeg' | 'application/pdf';
  bytes: Uint8Array;
}
