import type { JsonText, Operation, ServerEvent, StreamAnswer } from '@gleaner/contracts';

/** The answer of a call, by its kind. Streams are read once. */
export type CallAnswer =
  | { kind: 'json'; value: unknown }
  | ({ kind: 'json-text' } & JsonText)
  | { kind: 'empty' }
  | ({ kind: 'stream' } & StreamAnswer)
  | { kind: 'events'; events: AsyncIterable<ServerEvent> };

/** What a successful call gives; failures are thrown as AppError. */
export interface CallResult {
  /** HTTP's number for it; other doors may ignore it. */
  status: number;
  answer: CallAnswer;
  /** Whether an earlier call with the same Idempotency-Key made this answer. */
  isReplayed: boolean;
  /** Set by metered operations: what the call used, and the balance after it. */
  credits: { used: number; remaining: number } | undefined;
}

// The operation's kind of answer says what its function returns: `pair` has checked it.
function asJsonText(output: unknown): JsonText {
  return output as JsonText;
}
function asStream(output: unknown): StreamAnswer {
  return output as StreamAnswer;
}
function asEvents(output: unknown): AsyncIterable<ServerEvent> {
  return output as AsyncIterable<ServerEvent>;
}

/** @param output what the operation's function returned */
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
