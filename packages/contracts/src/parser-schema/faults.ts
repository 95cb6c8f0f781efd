import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

export interface ParserSchemaFault {
  /** `fields.price.css[0]` */
  path: string;
  reason: string;
}

/** `['fields', 'price', 'css', 0]` → `fields.price.css[0]` */
export function formatFaultPath(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : index ? `.${String(part)}` : String(part),
    )
    .join('');
}

function rootIssues(issues: readonly Issue[]): number {
  return issues.filter(({ path }) => path.length === 0).length;
}

/** The alternative of a union that the input was meant to be: the one with the fewest faults at its very top. */
function likeliest(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const ranked = branches
    .filter((issues) => issues.length > 0 && issues[0]?.code !== 'invalid_type')
    .toSorted((a, b) => rootIssues(a) - rootIssues(b) || a.length - b.length);
  const [best, second] = ranked;
  // Equal ones at the top: nothing tells which was meant.
  const isTie = best && second && rootIssues(best) > 0 && rootIssues(best) === rootIssues(second);
  return isTie ? undefined : best;
}

function flatten(issue: Issue, prefix: readonly PropertyKey[]): ParserSchemaFault[] {
  const path = [...prefix, ...issue.path];
  if (issue.code === 'invalid_union') {
    const branch = likeliest(issue.errors);
    if (branch !== undefined) return branch.flatMap((inner) => flatten(inner, path));
    return [{ path: formatFaultPath(path), reason: 'is none of the forms that are allowed here' }];
  }
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: formatFaultPath([...path, key]), reason: 'unknown key' }));
  }
  if (issue.code === 'invalid_key') {
    return issue.issues.map(({ message }) => ({ path: formatFaultPath(path), reason: `name ${message}` }));
  }
  const reason = issue.message.replace(/^Invalid input: /, '').replace(/^Too (?:big|small): /, '');
  return [{ path: formatFaultPath(path), reason }];
}

/** zod's issues as flat faults: unions resolved to the form that was meant, one fault per unknown key. */
export function parserSchemaFaults(error: z.ZodError): ParserSchemaFault[] {
  return error.issues.flatMap((issue) => flatten(issue, []));
}
