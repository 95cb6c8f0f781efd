import { z } from 'zod';
import { apiDescriptionSchema, apiSummarySchema } from '../apis/catalogue.ts';
import { operationsOf, json } from '../define-operation.ts';

const define = operationsOf({ tag: 'Catalogue', auth: 'public' });

export const listApis = define('listApis', 'GET /v1/apis', {
  summary: 'The prebuilt APIs.',
  answer: json(z.object({ apis: z.array(apiSummarySchema) })),
  tool: 'list_apis',
});

export const getApi = define('getApi', 'GET /v1/apis/{id}', {
  summary: 'Schemas, price and example of one prebuilt API.',
  params: z.object({ id: z.string().min(1).max(80).describe('Name of the API: `photoapp-profile`.') }),
  answer: json(apiDescriptionSchema),
});
