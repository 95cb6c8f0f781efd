import * as operations from '@gleaner/contracts';
import { parseHtml } from '../../extraction/parse/parse-html.ts';
import { scrape, scrapeAsJson, scrapeWithSchema } from '../../extraction/scrape.ts';
import { pair } from '../pair.ts';

export const extractionEntries = [
  pair(operations.parseHtml, parseHtml),
  pair(operations.scrape, scrape),
  pair(operations.scrapeAsJson, scrapeAsJson),
  pair(operations.scrapeWithSchema, scrapeWithSchema),
];
