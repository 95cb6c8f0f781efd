import { AppError, describeIssue, findUnstorable, nearestName, UNSTORABLE } from '@gleaner/contracts';
import type { z } from 'zod';

/** Pages may contain any text; the parser's threads read them like a browser. */
const PAGE_FIELD = 'html';
/** Named in one error. */
const MAX_FAULTS = 20;

function withoutPage(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || !(PAGE_FIELD in data)) return data;
  const { [PAGE_FIELD]: _, ...others } = data;
  return others;
}

/** An unknown name at the top of a part, with the nearest that is known. */
function nearestOf(schema: z.ZodType, field: string): string {
  if (!('shape' in schema)) return '';
  const nearest = nearestName(field, Object.keys(schema.shape as object));
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
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
    const faults = parsed.error.issues.slice(0, MAX_FAULTS).map((issue) => {
      const { field, detail } = describeIssue(issue, value);
      const isUnknown = issue.code === 'unrecognized_keys' && issue.path.length === 0;
      return { field, detail: isUnknown ? `${detail}${nearestOf(schema, field)}` : detail };
    });
    const [first] = faults;
    throw new AppError('invalid_request', {
      field: first === undefined || first.field === '' ? root : first.field,
      detail: faults.map(({ field, detail }) => `${field === '' ? root : field}: ${detail}`).join('; '),
    });
  }
  const unstorable = findUnstorable(withoutPage(parsed.data));
  if (unstorable === undefined) return parsed.data;
  throw new AppError('invalid_request', {
    field: unstorable === '' ? root : unstorable,
    detail: UNSTORABLE,
  });
}
