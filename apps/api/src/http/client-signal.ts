import type { Call } from '@gleaner/core';
import type { FastifyReply } from 'fastify';

/** Aborted when the client disconnects before it has its response. */
export function clientSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** Cuts an answer that is being sent when the signal is aborted, as nobody may take what is whole then for all of it. */
export function endAnswer(signal: AbortSignal, raw: FastifyReply['raw']): void {
  signal.addEventListener(
    'abort',
    () => {
      if (raw.headersSent) raw.destroy();
    },
    { once: true },
  );
}

/** Ends a call with its connection, and an answer that is being sent with the call's signal. */
export function endWithAnswer(call: Call, { raw }: FastifyReply): void {
  if (raw.closed) call.end();
  else raw.once('close', () => call.end());
  endAnswer(call.signal, raw);
}
