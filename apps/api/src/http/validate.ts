import { AppError } from '@gleaner/contracts';
import type { z } from 'zod';

const toField = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, part) =>
      typeof part === 'number' ? `${text}[${part}]` : text === '' ? String(part) : `${text}.${String(part)}`,
    '',
  );

const describeIssue = (issue: z.core.$ZodIssue): { field: string; detail: string } => {
  const [unknown] = issue.code === 'unrecognized_keys' ? issue.keys : [];
  const field = toField(unknown === undefined ? issue.path : [...issue.path, unknown]);
  return { field, detail: unknown === undefined ? issue.message : 'is not a known field' };
};

/**
 * Parses one part of a request.
 * @param root what the field is called when the part as a whole is wrong: body, query
 * @throws AppError invalid_request that names the first wrong field and lists the others
 */
export const validate = (schema: z.ZodType | undefined, value: unknown, root: string): unknown => {
  if (!schema) return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(describeIssue);
  const [first] = faults;
  throw new AppError('invalid_request', {
    field: first === undefined || first.field === '' ? root : first.field,
    detail: faults
      .slice(0, 20)
      .map(({ field, detail }) => `${field === '' ? root : field}: ${detail}`)
      .join('; '),
  });
};
