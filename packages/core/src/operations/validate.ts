import { AppError, describeIssue, findUnstorable, UNSTORABLE } from '@gleaner/contracts';
import type { z } from 'zod';

/** Pages may contain any text; the parser's threads read them like a browser. */
const PAGE_FIELD = 'html';

function withoutPage(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || !(PAGE_FIELD in data)) return data;
  const { [PAGE_FIELD]: _, ...others } = data;
  return others;
}

/**
 * Parses one part of a request.
 * @param root the name of the field when the whole part is invalid: body, query
 * @throws AppError invalid_request with the first invalid field and a list of the others
 */
export function validate(schema: z.ZodType | undefined, value: unknown, root: string): unknown {
  if (!schema) return undefined;
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => describeIssue(issue, value));
    const [first] = faults;
    throw new AppError('invalid_request', {
      field: first === undefined || first.field === '' ? root : first.field,
      detail: faults
        .slice(0, 20)
        .map(({ field, detail }) => `${field === '' ? root : field}: ${detail}`)
        .join('; '),
    });
  }
  const unstorable = findUnstorable(withoutPage(parsed.data));
  if (unstorable === undefined) return parsed.data;
  throw new AppError('invalid_request', {
    field: unstorable === '' ? root : unstorable,
    detail: UNSTORABLE,
  });
}
