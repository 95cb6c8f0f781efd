import type { JsonText, Operation, ServerEvent, StreamAnswer } from '@gleaner/contracts';

/** The answer of a call, by kind. Streams can be read once. */
export type CallAnswer =
  | { kind: 'json'; value: unknown }
  | ({ kind: 'json-text' } & JsonText)
  | { kind: 'empty' }
  | ({ kind: 'stream' } & StreamAnswer)
  | { kind: 'events'; events: AsyncIterable<ServerEvent> };

/** The result of a successful call. Failures are thrown as AppError. */
export interface CallResult {
  /** The HTTP status; other doors may ignore it. */
  status: number;
  answer: CallAnswer;
  /** Whether this is the answer of an earlier call with the same Idempotency-Key. */
  isReplayed: boolean;
  /** Set by metered operations: the credits used, and the balance afterwards. */
  credits: { used: number; remaining: number } | undefined;
}

// `pair` has checked that the function returns the operation's kind of answer.
function asJsonText(output: unknown): JsonText {
  return output as JsonText;
}
function asStream(output: unknown): StreamAnswer {
  return output as StreamAnswer;
}
function asEvents(output: unknown): AsyncIterable<ServerEvent> {
  return output as AsyncIterable<ServerEvent>;
}

/** @param output the result of the operation's function */
export function toCallAnswer({ answer }: Operation, output: unknown): CallAnswer {
  switch (answer.kind) {
    case 'json':
      return { kind: 'json', value: output };
    case 'json-text':
      return { kind: 'json-text', ...asJsonText(output) };
    case 'empty':
      return { kind: 'empty' };
    case 'stream':
      return { kind: 'stream', ...asStream(output) };
    case 'events':
      return { kind: 'events', events: asEvents(output) };
  }
}
