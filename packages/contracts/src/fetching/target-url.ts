import { z } from 'zod';
import { MAX_URL_LENGTH } from '../values/fetching.ts';

const NOT_ABSOLUTE = 'is not an absolute URL';

/**
 * An address to fetch: absolute, http or https, without a user name. The egress guard checks the resolved address when
 * the page is fetched.
 */
export const targetUrlField = z
  .string()
  .trim()
  .min(1)
  .max(MAX_URL_LENGTH, { abort: true })
  .superRefine((text, context) => {
    const fault = urlFault(text);
    if (fault === null) return;
    const message = fault === NOT_ABSOLUTE ? `${fault} such as https://example.com/` : fault;
    context.addIssue({ code: 'custom', message });
  })
  .describe('Absolute http or https URL.');

/** Why a text is not a URL that can be fetched; null when it is one. */
export function urlFault(text: string): string | null {
  if (text.length > MAX_URL_LENGTH) return `is longer than ${MAX_URL_LENGTH} characters`;
  const url = URL.parse(text);
  if (url === null) return NOT_ABSOLUTE;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must start with http:// or https://';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  return null;
}
