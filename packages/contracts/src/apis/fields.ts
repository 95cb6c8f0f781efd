import { z } from 'zod';
import { queryNumber } from '../fields.ts';

/** A text of the page; null when the page does not give it. */
export const text = (what: string) => z.string().nullable().describe(what);

/** A whole number of the page; null when the page does not give it. */
export const whole = (what: string) => z.int().nullable().describe(what);

export const decimal = (what: string) => z.number().nullable().describe(what);

export const flag = (what: string) => z.boolean().nullable().describe(what);

/** A list of the page; empty when there is none. */
export const list = <S extends z.ZodType>(item: S, what: string) => z.array(item).describe(what);

/** A web address or site-specific reference; its host is checked against the site before anything is fetched. */
export const addressInput = (what: string) => z.string().trim().min(1).max(2048).describe(what);

/** An opaque token of the site, handed back exactly as the answer before gave it. */
export const tokenInput = (what: string) => z.string().min(1).max(16_384).describe(what);

/** A page length: query parameters arrive as text. */
export const countInput = (max: number, what: string) =>
  queryNumber(z.int().min(1).max(max)).default(12).describe(what);

/** The rule of a pair of parameters, told as the field error that a client reads. */
export const fault = (field: string, message: string) => ({ path: [field], message });
