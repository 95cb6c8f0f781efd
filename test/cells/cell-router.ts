import { createHash } from 'node:crypto';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

/**
 * A small router before several cells, which shows that accounts can be divided among them (docs/operate/scaling.md). It finds the
 * cell of an API key by asking each cell once, and remembers it. It is an experiment: no TLS, no limits, no dashboard.
 *
 *     node test/cells/cell-router.ts --port 4000 --cell http://127.0.0.1:3000 --cell http://127.0.0.1:3001
 */

/** An operation that any key may call, and that costs nothing. */
const PROBE = '/v1/credits';
/** How long a cell may take to say whether it knows a key. */
const PROBE_MS = 10_000;
const MOST_KEYS = 100_000;

interface Directory {
  /** The cell of a key; undefined when no cell knows it; `unknown` when a cell did not answer. */
  find(key: string): Promise<URL | 'unknown' | undefined>;
}

function createDirectory(cells: readonly URL[]): Directory {
  // Digests, so that a dump of the router's memory has no keys.
  const known = new Map<string, URL>();
  const knows = async (cell: URL, key: string): Promise<boolean> => {
    const answer = await fetch(new URL(PROBE, cell), {
      headers: { 'x-api-key': key },
      signal: AbortSignal.timeout(PROBE_MS),
    });
    await answer.body?.cancel();
    if (answer.status >= 500) throw new Error(`${cell.origin} answered ${answer.status}`);
    return answer.status !== 401;
  };
  return {
    find: async (key) => {
      const digest = createHash('sha256').update(key).digest('base64');
      const cell = known.get(digest);
      if (cell) return cell;
      const answers = await Promise.allSettled(cells.map((one) => knows(one, key)));
      const index = answers.findIndex((answer) => answer.status === 'fulfilled' && answer.value);
      const found = cells[index];
      if (found) {
        if (known.size >= MOST_KEYS) known.clear();
        known.set(digest, found);
        return found;
      }
      return answers.some(({ status }) => status === 'rejected') ? 'unknown' : undefined;
    },
  };
}

function refuse(response: ServerResponse, status: number, error: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
}

function pass(request: IncomingMessage, response: ServerResponse, cell: URL): void {
  const { method, headers, url } = request;
  const onward = httpRequest(new URL(url ?? '/', cell), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => {
    if (response.headersSent) response.destroy();
    else refuse(response, 503, 'temporarily unavailable');
  });
  response.once('close', () => onward.destroy());
  request.pipe(onward);
}

export function createCellRouter(cells: readonly URL[]): Server {
  const directory = createDirectory(cells);
  return createServer((request, response) => {
    const key = request.headers['x-api-key'];
    void (async () => {
      const cell = typeof key === 'string' ? await directory.find(key) : undefined;
      if (cell === undefined) refuse(response, 401, 'unauthorized');
      else if (cell === 'unknown') refuse(response, 503, 'temporarily unavailable');
      else pass(request, response, cell);
    })();
  });
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '4000' },
      cell: { type: 'string', multiple: true, default: [] },
    },
  });
  createCellRouter(values.cell.map((text) => new URL(text))).listen(Number(values.port), '127.0.0.1');
}
