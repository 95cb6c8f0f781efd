import * as operations from '@gleaner/contracts';
import { parseHtml, scrape } from '@gleaner/core';
import { endpoint } from '../endpoint.ts';

export const extractionEndpoints = [
  endpoint(operations.parseHtml, parseHtml),
  endpoint(operations.scrape, scrape),
];
