import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { API_IDS, isApiId, PREBUILT_APIS } from '@gleaner/contracts';
import { extractSite, type SiteResponse } from '@gleaner/extractors/sites';
import { z } from 'zod';
import { EXIT } from '../exit-codes.ts';
import { Fault, messageOf } from '../fault.ts';
import { openInput } from '../read-file.ts';

/**
 * Runs a prebuilt API's extractor on recorded responses. Several files are the responses of one API call, in any order.
 * Returns the data, or the typed outcome (`outcome`, `evidence`) with exit code 2.
 */
export async function extractApi(
  id: string,
  files: readonly string[],
  url: string | undefined,
): Promise<unknown> {
  if (!isApiId(id)) throw new Fault(`there is no prebuilt API ${id}; one of ${API_IDS.join(', ')}`);
  const readRecording = async (file: string): Promise<SiteResponse> => {
    const body = (await readBytes(file)).toString('utf8').replace(/^\uFEFF/, '');
    return unwrapRecording(body) ?? { url: url ?? '', status: 200, body };
  };
  const responses = await Promise.all(files.map(readRecording));
  // APIs without a URL among their parameters read the address from the response.
  const input = url !== undefined && 'url' in PREBUILT_APIS[id].input.shape ? { url } : {};
  const outcome = extractSite(id, input, responses);
  if (outcome.outcome === 'ok') return outcome.data;
  process.exitCode = EXIT.noData;
  return outcome;
}

/** Reads a file and decompresses gzip. @throws Fault */
async function readBytes(file: string): Promise<Buffer> {
  const bytes = await buffer(await openInput(file, 'response'));
  try {
    return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
  } catch (error) {
    throw new Fault(`can’t read ${file}: ${messageOf(error)}`);
  }
}

const recordingSchema = z.object({
  request: z.object({ url: z.string().optional() }).optional(),
  response: z.object({
    responseBody: z.string(),
    responseCode: z.number().default(200),
    latestUrl: z.string().optional(),
  }),
});

/** Reads a recording; undefined for a bare response body. */
function unwrapRecording(body: string): SiteResponse | undefined {
  if (!/^\s*\{\s*"request"/.test(body)) return undefined;
  try {
    const { request, response } = recordingSchema.parse(JSON.parse(body));
    const { responseBody, responseCode: status, latestUrl: finalUrl } = response;
    return { url: request?.url ?? '', finalUrl, status, body: responseBody };
  } catch {
    return undefined;
  }
}
