import { SOURCE_LIMITS, type SourceEntry, type SourceLines } from './source-lines.ts';
import type { SourceReader } from './source-reader.ts';

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, SOURCE_LIMITS.value) : undefined;
}

function entryOf(item: unknown): SourceEntry {
  if (typeof item !== 'object' || item === null) return { address: undefined };
  const { url, external_url, date_modified, date_published } = item as Record<string, unknown>;
  return {
    address: textOf(url) ?? textOf(external_url),
    modified: textOf(date_modified) ?? textOf(date_published),
  };
}

/** The items of a JSON Feed (jsonfeed.org); undefined for other JSON. */
function itemsOf(text: string): unknown[] | undefined {
  try {
    const feed: unknown = JSON.parse(text);
    const items = typeof feed === 'object' && feed !== null && 'items' in feed ? feed.items : undefined;
    return Array.isArray(items) ? items : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a JSON Feed, as a whole. */
export function createJsonFeedReader(lines: SourceLines): SourceReader {
  const parts: string[] = [];
  let length = 0;
  let fault: string | undefined;
  return {
    write(text) {
      length += text.length;
      if (length > SOURCE_LIMITS.jsonBytes) fault = 'is JSON of more than 10 MB';
      else parts.push(text);
    },
    end() {
      if (fault !== undefined) return;
      const items = itemsOf(parts.join(''));
      if (items === undefined) fault = 'is not a JSON Feed';
      for (const item of items ?? []) {
        if (lines.isFull()) return;
        lines.addPage('f', entryOf(item));
      }
    },
    fault: () => fault,
    isUnfinished: () => false,
  };
}
