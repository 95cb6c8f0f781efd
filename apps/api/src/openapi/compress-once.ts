import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

const compress = promisify(gzip);

/** Gives a function that sends one text, which never changes, compressed to all who accept it. */
export function createCompressed(): (
  request: FastifyRequest,
  reply: FastifyReply,
  text: string | Buffer,
) => Promise<string | Buffer> {
  let compressed: Promise<Buffer> | undefined;
  return async (request, reply, text) => {
    reply.header('vary', 'accept-encoding');
    if (!/\bgzip\b/.test(String(request.headers['accept-encoding']))) return text;
    compressed ??= compress(text);
    const bytes = await compressed;
    reply.header('content-encoding', 'gzip').header('content-length', bytes.length);
    return bytes;
  };
}
