import * as operations from '@gleaner/contracts';
import {
  createParser,
  deleteParser,
  getParser,
  listParsers,
  listParserVersions,
  previewParser,
  restoreParserVersion,
  updateParser,
} from '@gleaner/core';
import { parserSchemaJsonSchema } from '@gleaner/extractors';
import { endpoint, publicEndpoint } from '../endpoint.ts';

export const parserEndpoints = [
  endpoint(operations.createParser, createParser),
  endpoint(operations.listParsers, listParsers),
  endpoint(operations.previewParser, previewParser),
  endpoint(operations.getParser, getParser),
  endpoint(operations.updateParser, updateParser),
  endpoint(operations.deleteParser, deleteParser),
  endpoint(operations.listParserVersions, listParserVersions),
  endpoint(operations.restoreParserVersion, restoreParserVersion),
  publicEndpoint(operations.getParserLanguage, () => parserSchemaJsonSchema()),
];
