import type { Socket } from 'node:net';

/** Far more than a page of rows. A larger answer is a row that is too large to return, or an attempt to fill memory. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const MAX_ROWS = 200_000;
/** Limit of authentication messages, which hold a few hundred bytes. */
const MAX_AUTHENTICATION_BYTES = 16 * 1024;
/** Postgres' default is 4,096. The driver computes them in one native call that nothing can interrupt. */
const MAX_ITERATIONS = 500_000;

const HEADER_BYTES = 5;
const [AUTHENTICATION, ROW, READY] = ['R', 'D', 'Z'].map((type) => type.charCodeAt(0));
const SASL_CONTINUE = 11;

/** The server sends what no Postgres sends. */
export class HostileServerError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'HostileServerError';
  }
}

function checkAuthentication(body: Buffer): void {
  if (body.length < 4) throw new HostileServerError('its authentication is malformed');
  if (body.readInt32BE(0) !== SASL_CONTINUE) return;
  const iterations = /(?:^|,)i=(\d+)(?:,|$)/.exec(body.toString('latin1', 4))?.[1];
  if (iterations === undefined) throw new HostileServerError('its authentication is malformed');
  if (Number(iterations) > MAX_ITERATIONS)
    throw new HostileServerError(`it asks for ${iterations} rounds of SCRAM, more than ${MAX_ITERATIONS}`);
}

/**
 * Reads the frames of a server's answers before the driver does, and throws when an answer is too large or may keep the
 * process from being interrupted. The exception ends the thread, which is what a hostile server may do at most.
 * (https://www.postgresql.org/docs/18/protocol-message-formats.html)
 * @param onReady the server has answered a query completely
 */
export function guardAnswers(socket: Socket, onReady: () => void): void {
  let head = Buffer.alloc(0);
  /** What is left of the present frame. */
  let left = 0;
  let isAuthentication = false;
  let body: Buffer[] = [];
  let bytes = 0;
  let rows = 0;

  const begin = (type: number | undefined, length: number): void => {
    if (length < 4) throw new HostileServerError('it sends a message of a negative length');
    left = length - 4;
    isAuthentication = type === AUTHENTICATION;
    if (isAuthentication && left > MAX_AUTHENTICATION_BYTES)
      throw new HostileServerError('its authentication is too long');
    if (type === ROW) rows += 1;
    if (rows > MAX_ROWS) throw new HostileServerError(`its answer has more than ${MAX_ROWS} rows`);
    if (type !== READY) return;
    bytes = 0;
    rows = 0;
    onReady();
  };
  const end = (): void => {
    if (isAuthentication) checkAuthentication(Buffer.concat(body));
    body = [];
  };

  socket.prependListener('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES)
      throw new HostileServerError(`its answer has more than ${MAX_ANSWER_BYTES} bytes`);
    for (let at = 0; at < chunk.length;) {
      if (left === 0) {
        const part = chunk.subarray(at, at + HEADER_BYTES - head.length);
        head = Buffer.concat([head, part]);
        at += part.length;
        if (head.length < HEADER_BYTES) return;
        begin(head[0], head.readInt32BE(1));
        head = Buffer.alloc(0);
        if (left === 0) end();
        continue;
      }
      const part = chunk.subarray(at, at + left);
      if (isAuthentication) body.push(part);
      at += part.length;
      left -= part.length;
      if (left === 0) end();
    }
  });
}
