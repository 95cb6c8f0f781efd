import { isObject } from '@gleaner/contracts/values';
import { z } from 'zod';

/** Whether a program sends this for a parameter that its user left alone: n8n fills in empty texts, lists and objects. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return true;
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

/** A parameter that may be empty. */
export function optional<S extends z.ZodType>(schema: S) {
  return z.preprocess((value) => (isEmpty(value) && value !== false ? undefined : value), schema.optional());
}

/** A parameter that can't be done: anything but its absence is refused. */
export function refused(why: string) {
  return z
    .unknown()
    .optional()
    .refine(isEmpty, why)
    .transform(() => undefined);
}

/** A parameter without a meaning here: it concerns speed, cost or statistics alone. */
export const ignored = z
  .unknown()
  .optional()
  .transform(() => undefined);

/** A parameter that takes its default alone: what Gleaner does anyway. */
export function only(value: boolean, why: string) {
  return optional(z.boolean().refine((given) => given === value, why)).transform(() => undefined);
}

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** An address; without a scheme it is one of http, as browsers read it. Operations check it. */
export const addressField = z
  .string()
  .trim()
  .min(1)
  .transform((text) => (SCHEME.test(text) ? text : `http://${text}`));

/** What every call may say of its sender. */
export const senderFields = { origin: ignored, integration: ignored };
