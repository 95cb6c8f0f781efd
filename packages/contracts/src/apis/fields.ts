import { z } from 'zod';
import { queryNumber } from '../fields.ts';

/** A text of the page; null when the page does not have it. */
export function text(what: string) {
  return z.string().nullable().describe(what);
}

/** A whole number of the page; null when the page does not have it. */
export function whole(what: string) {
  return z.int().nullable().describe(what);
}

export function decimal(what: string) {
  return z.number().nullable().describe(what);
}

export function flag(what: string) {
  return z.boolean().nullable().describe(what);
}

/** A list of the page; empty when there is none. */
export function list<S extends z.ZodType>(item: S, what: string) {
  return z.array(item).describe(what);
}

/** A web address or site-specific reference; its host is checked against the site before anything is fetched. */
export function addressInput(what: string) {
  return z.string().trim().min(1).max(2048).describe(what);
}

/** An opaque token of the site, sent back exactly as the previous response returned it. */
export function tokenInput(what: string) {
  return z.string().min(1).max(16_384).describe(what);
}

/** A page length. Query parameters arrive as text. */
export function countInput(max: number, what: string) {
  return queryNumber(z.int().min(1).max(max)).default(12).describe(what);
}

/** The field error for a pair of parameters that breaks its rule. */
export function fault(field: string, message: string) {
  return { path: [field], message };
}
