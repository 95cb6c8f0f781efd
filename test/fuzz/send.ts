import { request as httpRequest } from 'node:http';
import type { FuzzRequest } from './request.ts';

export interface FuzzAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** Empty for a stream of events, which is left at once. */
  text: string;
  ms: number;
}

/** `hang`: no answer in time. `dropped`: the connection ended without one. */
export type Sent = FuzzAnswer | { failure: 'hang' | 'dropped' | 'unsendable'; reason: string };

const MOST_TEXT = 4 * 1024 * 1024;

/** Sends a request as it is, also one that no client library would send. Never rejects. */
export function send(baseUrl: URL, request: FuzzRequest, timeoutMs: number): Promise<Sent> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      resolve({ failure: 'hang', reason: `no answer within ${timeoutMs} ms` });
      sending?.destroy();
    }, timeoutMs);
    const end = (sent: Sent): void => {
      clearTimeout(timer);
      resolve(sent);
    };
    let sending: ReturnType<typeof httpRequest> | undefined;
    try {
      sending = httpRequest(
        {
          host: baseUrl.hostname,
          port: baseUrl.port,
          method: request.method,
          path: request.path,
          headers: request.headers,
          agent: false,
          // Latin-1 is what HTTP allows in a header.
          insecureHTTPParser: false,
        },
        (response) => {
          const answer = (text: string): FuzzAnswer => ({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            ms: performance.now() - startedAt,
          });
          if (String(response.headers['content-type']).startsWith('text/event-stream')) {
            end(answer(''));
            response.destroy();
            return;
          }
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (chunk: string) => {
            if (text.length < MOST_TEXT) text += chunk;
          });
          response.on('end', () => end(answer(text)));
          response.on('error', (error) => end({ failure: 'dropped', reason: error.message }));
        },
      );
      sending.on('error', (error) => end({ failure: 'dropped', reason: error.message }));
      sending.end(request.body);
    } catch (error) {
      end({ failure: 'unsendable', reason: String(error) });
    }
  });
}
