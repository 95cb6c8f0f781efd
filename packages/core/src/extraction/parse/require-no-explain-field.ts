import { invalid } from '../../platform/invalid-request.ts';

/**
 * The explanation is a member next to the data's fields, so no field may have its name.
 * @throws AppError invalid_request with field `explain`
 */
export function requireNoExplainField({ fields }: Record<string, unknown>): void {
  if (typeof fields !== 'object' || fields === null || !Object.hasOwn(fields, 'explain')) return;
  throw invalid(
    'explain',
    'the parser has a field named explain, which the explanation would replace',
    'Use POST /v1/parsers/preview, which returns the explanation separately from the data.',
  );
}
