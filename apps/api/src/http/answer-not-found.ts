import { AppError } from '@gleaner/contracts';
import { operationTable } from '@gleaner/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendError } from './send-error.ts';

const PATTERNS = operationTable.map(({ operation }) => ({
  method: operation.method,
  pattern: new RegExp(`^${operation.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

/** The methods of the operations at a path. */
function methodsAt(url: string): string[] {
  const [path = ''] = url.split('?');
  return PATTERNS.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
}

/** Answers 404, and says which methods the path has. */
export function answerNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const methods = methodsAt(request.url);
  if (methods.length > 0) reply.header('allow', methods.join(', '));
  const error = new AppError('not_found', {
    detail:
      methods.length > 0
        ? `${request.method} is not offered at this path, but ${methods.join(' and ')}`
        : 'there is nothing at this path',
    hint: 'All operations are at /docs.',
  });
  return sendError(request, reply, error);
}
