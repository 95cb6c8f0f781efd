import type { StoredError } from '@gleaner/contracts';
import type { RelativeValues, TaskOutcome } from '@gleaner/core';
import type { NotedReport } from '@gleaner/extractors';
import type { JsonExtraction } from '@gleaner/threads';

/** What the page of a crawl gave to its route's parser. */
type Read = { data: unknown } | { error: StoredError };

/** A fetched page as the result of its task keeps it, for the task of its route. */
export type StoredPage = Read & {
  finalUrl: string;
  httpStatus: number;
  bytes: number;
  /** ISO 8601, by Postgres' clock. */
  fetchedAt: string;
  fields: readonly NotedReport[];
  structure?: readonly number[] | undefined;
  relative?: RelativeValues | undefined;
};

export type ReadPage = Pick<StoredPage, 'finalUrl' | 'httpStatus' | 'bytes' | 'fetchedAt'>;

/** The result of a page that no parser reads. */
export const NO_DATA = '{}';

function failureOf(extraction: JsonExtraction, shellHint: string | undefined): StoredError {
  const detail = extraction.ok ? undefined : extraction.failure.detail;
  const hint = extraction.looksScripted === true ? shellHint : undefined;
  return {
    code: 'extraction_failed',
    ...(detail === undefined ? {} : { detail }),
    ...(hint === undefined ? {} : { hint }),
  };
}

/** A page's answer: one line of JSON. @param shellHint what to do where the page looks as if scripts fill it */
export function toStoredPage(
  page: ReadPage,
  extraction: JsonExtraction,
  shellHint: string | undefined,
): string {
  const { fields, structure, relative, data } = extraction;
  const found = JSON.stringify({ ...page, fields, structure, relative });
  if (!extraction.ok || data === undefined)
    return `${found.slice(0, -1)},"error":${JSON.stringify(failureOf(extraction, shellHint))}}`;
  return `${found.slice(0, -1)},"data":${data}}`;
}

/** The outcome of a route's task. */
export function toOutcome(text: string): TaskOutcome {
  // Written by toStoredPage.
  const page = JSON.parse(text) as StoredPage;
  const { fields, structure, relative, finalUrl, httpStatus, bytes, fetchedAt } = page;
  if ('error' in page) return { ok: false, error: page.error, fields, structure };
  return {
    ok: true,
    answer: JSON.stringify(page.data),
    finalUrl,
    httpStatus,
    bytes,
    fetchedAt,
    fields,
    structure,
    relative,
  };
}
