import type { SiteResponses, SiteOutcome, SiteResponse } from '../types.ts';
import { assignedJson, isJson, parseJson } from '../read/json.ts';
import { isObject } from '@gleaner/contracts/values';
import { arrayAt, at, textAt, type JsonObject } from '../read/value.ts';
import { failed, isServerFault, serverFault } from '../outcome.ts';
import { titleOf } from '../read/html.ts';
import { shownAt } from './text.ts';

export interface VideositeDocuments {
  /** The player response. */
  player?: JsonObject;
  /** Responses of browse, search and next, and the initial data of pages. */
  data: JsonObject[];
  /** The HTML of a page with these documents. */
  html?: string;
  /** The reasons for responses with neither. */
  walls: SiteOutcome[];
}

function isPlayer(root: JsonObject): boolean {
  return (
    'playabilityStatus' in root ||
    'videoDetails' in root ||
    isObject(at(root, 'microformat.playerMicroformatRenderer'))
  );
}

/** The documents in the responses, identified by content and not by order. */
export function readDocuments(responses: SiteResponses): VideositeDocuments {
  const documents: VideositeDocuments = { data: [], walls: [] };
  for (const response of responses) {
    const read = isJson(response.body) ? readJsonDocument : readHtmlDocument;
    if (!read(response, documents)) documents.walls.push(readWall(response));
  }
  return documents;
}

function readJsonDocument({ body, status }: SiteResponse, documents: VideositeDocuments): boolean {
  const root = parseJson(body);
  const parts = (Array.isArray(root) ? root : [root]).flatMap((part) =>
    isObject(part) ? [part, part['response'], part['playerResponse'], part['data']].filter(isObject) : [],
  );
  let found = false;
  for (const part of parts) {
    if (isObject(part['error']) && !isObject(part['contents'])) {
      documents.walls.push(readApiError(part['error'], status));
      found = true;
    } else if (isServerFault(status)) {
      continue;
    } else if (isPlayer(part)) {
      documents.player ??= part;
      found = true;
    } else if (Object.keys(part).length > 0) {
      documents.data.push(part);
      found = true;
    }
  }
  return found;
}

function readHtmlDocument({ body }: SiteResponse, documents: VideositeDocuments): boolean {
  const player = assignedJson(body, 'ytInitialPlayerResponse');
  const data = assignedJson(body, 'ytInitialData');
  if (isObject(player)) documents.player ??= player;
  if (isObject(data)) documents.data.push(data);
  if (!isObject(player) && !isObject(data)) return false;
  documents.html ??= body;
  return true;
}

/** The JSON error of a call. A target with a malformed id can't exist. */
function readApiError(error: JsonObject, httpStatus: number): SiteOutcome {
  const status = textAt(error, 'status') ?? '';
  const code = Number(error['code'] ?? 0);
  const evidence = `error ${code} ${status}: ${textAt(error, 'message') ?? ''}`.trim();
  if (isServerFault(code)) return serverFault(code);
  if (code === 400 || code === 404) return failed('not_found', evidence);
  if (code === 429 || status === 'RESOURCE_EXHAUSTED') return failed('rate_limited', evidence);
  if (code === 401 || code === 403) return failed('blocked', evidence);
  return isServerFault(httpStatus) ? serverFault(httpStatus) : failed('unrecognised', evidence);
}

function readWall({ status, finalUrl, url, body }: SiteResponse): SiteOutcome {
  const address = finalUrl ?? url;
  const head = body.slice(0, 20_000);
  const title = titleOf(body);
  if (/^https?:\/\/consent\./.test(address) || /<(?:base|link)[^>]{0,80}https:\/\/consent\./.test(head)) {
    return failed('blocked', `consent wall: ${title || address}`);
  }
  if (/\/sorry\//.test(address) || /google\.com\/sorry|unusual traffic/i.test(head)) {
    return failed('rate_limited', `unusual-traffic page, status ${status}`);
  }
  if (/ServiceLogin|accounts\.google\.com/.test(address))
    return failed('blocked', `sign-in page: ${address}`);
  if (/before you continue to/i.test(title)) return failed('blocked', `consent wall: ${title}`);
  if (status === 429) return failed('rate_limited', 'status 429');
  if (status === 403) return failed('blocked', 'status 403');
  if (isServerFault(status)) return serverFault(status);
  if (status === 404 && !address.includes('/youtubei/')) return failed('not_found', 'status 404');
  return failed(
    'unrecognised',
    `no data in a response with status ${status}${title ? `, title “${title}”` : ''}`,
  );
}

/** The error alert of a response without contents: the channel or playlist was removed. */
export function readAlert(data: JsonObject): SiteOutcome | undefined {
  if (isObject(data['contents'])) return undefined;
  for (const alert of arrayAt(data, 'alerts')) {
    const renderer = at(alert, 'alertRenderer') ?? at(alert, 'alertWithButtonRenderer');
    if (at(renderer, 'type') !== 'ERROR') continue;
    return failed('not_found', `alert: ${shownAt(renderer, 'text') ?? 'ERROR'}`);
  }
  return undefined;
}
