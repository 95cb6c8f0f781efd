import { AppError, type ParserSchema } from '@gleaner/contracts';
import { checkSchema } from '@gleaner/extractors';

/**
 * Checks a schema with everything in it: structure, selectors, patterns and bounds.
 * @throws AppError invalid_request that names the first fault's path and lists the others
 */
export const checkParserSchema = (input: unknown, field = 'schema'): ParserSchema => {
  const result = checkSchema(input);
  if (result.ok) return result.schema;
  const [first, ...others] = result.faults;
  const describeFault = (fault: typeof first): string =>
    fault
      ? `${fault.path === '' ? field : fault.path}: ${fault.reason}${fault.column ? ` (column ${fault.column})` : ''}`
      : '';
  throw new AppError('invalid_request', {
    field: first && first.path !== '' ? `${field}.${first.path}` : field,
    detail: [first, ...others.slice(0, 19)].map(describeFault).join('; '),
    hint: 'The schema language is at GET /v1/schemas/parser.',
  });
};
