import { AppError } from '@gleaner/contracts';

/**
 * The explanation stands beside the data, so it must not take a field's place.
 * @throws AppError invalid_request with field `explain`
 */
export function requireNoExplainField({ fields }: Record<string, unknown>): void {
  if (typeof fields !== 'object' || fields === null || !Object.hasOwn(fields, 'explain')) return;
  throw new AppError('invalid_request', {
    field: 'explain',
    detail: 'the parser has a field named explain, which the explanation would replace',
    hint: 'Ask POST /v1/parsers/preview for the explanation: it keeps the data apart.',
  });
}
