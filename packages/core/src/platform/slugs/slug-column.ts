import { isObject } from '@gleaner/contracts/values';
import { invalid } from '../invalid-request.ts';
import * as contracts from '@gleaner/contracts';
import { AppError, PAGE_WORDS, type Operation } from '@gleaner/contracts';
import { errorCodeOf, PG_ERRORS } from '@gleaner/db';

/** The words of paths that stand where the id of a resource can: `preview` of `/v1/parsers/preview`. */
function wordsOfPaths(): Set<string> {
  const paths = Object.values<unknown>(contracts)
    .filter((value): value is Operation => isObject(value) && 'method' in value && 'path' in value)
    .map(({ path }) => path.split('/'));
  const before = new Set(
    paths.flatMap((steps) =>
      steps.flatMap((step, at) => (step.startsWith('{') ? [steps.slice(0, at).join('/')] : [])),
    ),
  );
  const words = paths.flatMap((steps) =>
    steps.filter((step, at) => !step.startsWith('{') && before.has(steps.slice(0, at).join('/'))),
  );
  return new Set([...words, ...PAGE_WORDS]);
}

const WORDS = wordsOfPaths();

/**
 * The column of a slug in a change: absent when the slug stays as it is.
 * @throws AppError invalid_request for a word of a path
 */
export function slugColumn({ slug }: { slug?: string | null | undefined }): { slug?: string | null } {
  if (slug === undefined) return {};
  if (slug !== null && WORDS.has(slug))
    throw invalid('slug', `${slug} is a word of the API's paths`, 'Choose another slug.');
  return { slug };
}

/** What a failed change means, when another resource has its slug. */
export function explainTakenSlug(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const cause = error.cause instanceof Error ? error.cause : error;
  const isTaken =
    errorCodeOf(cause) === PG_ERRORS.uniqueViolation &&
    'constraint_name' in cause &&
    String(cause.constraint_name).endsWith('_slug');
  return isTaken
    ? new AppError('name_taken', { field: 'slug', detail: 'another one of your account has this slug' })
    : error;
}
