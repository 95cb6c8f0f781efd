import type { PageFact } from '@gleaner/contracts';
import { isObject } from '@gleaner/contracts/values';

/** Members of `metadata` by the names that they have in the data. */
const METADATA_NAMES = new Map<string, string>(
  Object.entries({
    published: 'publishedTime',
    modified: 'modifiedTime',
    final_url: 'url',
    status: 'statusCode',
  } satisfies Partial<Record<PageFact, string>>),
);

/** Formats that are texts: of a page without any they are empty. */
const TEXTS = new Set(['markdown', 'html', 'raw_html']);

/**
 * The document of a page, from what the schema of `schemaOf` read.
 * @param sourceUrl the address that was asked for
 */
export function toDocument(
  sourceUrl: string,
  data: unknown,
  further: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const { metadata, ...formats } = isObject(data) ? data : {};
  const shown = Object.entries(formats).map(([name, value]) => [
    name === 'raw_html' ? 'rawHtml' : name,
    value === null && TEXTS.has(name) ? '' : value,
  ]);
  const facts = Object.entries(isObject(metadata) ? metadata : {})
    .filter(([, value]) => value !== null)
    .map(([name, value]) => [METADATA_NAMES.get(name) ?? name, value]);
  return {
    ...Object.fromEntries(shown),
    metadata: { ...Object.fromEntries(facts), sourceURL: sourceUrl, ...further },
  };
}
