import { z } from 'zod';
import { operationsOf, json } from '../define-operation.ts';
import { targetUrlField } from '../fetching/target-url.ts';

const define = operationsOf({ tag: 'Parsers', auth: 'key' });

/** Most resources of one call. */
export const MAX_PAGE_RESOURCES = 20;

const resourceSchema = z
  .object({
    url: z.string().describe('As it was asked.'),
    type: z.string().nullable().describe('Media type: an image, a style sheet or a font. Null: not loaded.'),
    base64: z.string().nullable(),
    reason: z.string().nullable().describe('Why it was not loaded.'),
  })
  .meta({ id: 'PageResource' });

export const loadPageResources = define('loadPageResources', 'POST /v1/parsers/page-resources', {
  summary: 'Load style sheets, images and fonts of a page, to show the page as it looks.',
  description:
    'Free. Each is fetched like a page: public addresses alone, without cookies. At most 1 MB each and 4 MB in all; what is larger, of another type or slower than 8 seconds has a `reason`.',
  body: z.strictObject({ urls: z.array(targetUrlField).min(1).max(MAX_PAGE_RESOURCES) }),
  answer: json(z.object({ resources: z.array(resourceSchema) })),
  fairShare: 'call',
});
