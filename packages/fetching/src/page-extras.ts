import type { FileFact } from '@gleaner/contracts';

/** A file made of a page in a browser. */
export interface PageFile {
  fact: FileFact;
  contentType: 'image/png' | 'image/jpeg' | 'application/pdf';
  bytes: Uint8Array;
}

/** A response that the scripts of a page loaded in the browser. */
export interface CapturedResponse {
  /** Final address of the response. */
  url: string;
  /** Body of the response as text. */
  json: string;
}
