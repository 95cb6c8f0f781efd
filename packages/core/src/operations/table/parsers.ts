import * as operations from '@gleaner/contracts';
import { parserSchemaJsonSchema } from '@gleaner/extractors';
import { compareParserVersions } from '../../parsers/compare-versions.ts';
import { createParser } from '../../parsers/create-parser.ts';
import { deleteParser } from '../../parsers/delete-parser.ts';
import { getParser } from '../../parsers/get-parser.ts';
import { listParsers } from '../../parsers/list-parsers.ts';
import { loadPageResources } from '../../extraction/preview/load-page-resources.ts';
import { previewParser } from '../../extraction/preview/preview-parser.ts';
import { readPage } from '../../extraction/outline/read-page.ts';
import { suggestParser } from '../../extraction/suggest/suggest-parser.ts';
import {
  createParserSample,
  deleteParserSample,
  getParserSample,
  listParserSamples,
  updateParserSample,
} from '../../extraction/samples/samples.ts';
import { updateParser } from '../../parsers/update-parser.ts';
import { listParserVersions, restoreParserVersion } from '../../parsers/versions.ts';
import { pair, pairPublic } from '../pair.ts';

export const parserEntries = [
  pair(operations.createParser, createParser),
  pair(operations.listParsers, listParsers),
  pair(operations.previewParser, previewParser),
  pair(operations.loadPageResources, loadPageResources),
  pair(operations.suggestParser, suggestParser),
  pair(operations.readPage, readPage),
  pair(operations.getParser, getParser),
  pair(operations.updateParser, updateParser),
  pair(operations.deleteParser, deleteParser),
  pair(operations.listParserVersions, listParserVersions),
  pair(operations.restoreParserVersion, restoreParserVersion),
  pair(operations.createParserSample, createParserSample),
  pair(operations.listParserSamples, listParserSamples),
  pair(operations.getParserSample, getParserSample),
  pair(operations.updateParserSample, updateParserSample),
  pair(operations.deleteParserSample, deleteParserSample),
  pair(operations.compareParserVersions, compareParserVersions),
  pairPublic(operations.getParserLanguage, () => parserSchemaJsonSchema()),
];
