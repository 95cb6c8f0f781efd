import * as operations from '@gleaner/contracts';
import { parseHtml } from '../../parse/parse-html.ts';
import { scrape } from '../../requests/scrape.ts';
import { pair } from '../pair.ts';

export const extractionEntries = [pair(operations.parseHtml, parseHtml), pair(operations.scrape, scrape)];
