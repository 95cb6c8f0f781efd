import { z } from 'zod';
import { apiDescriptionSchema, apiSummarySchema } from '../apis/catalogue.ts';
import { defineOperation } from '../operation.ts';

export const listApis = defineOperation({
  id: 'listApis',
  method: 'GET',
  path: '/v1/apis',
  tag: 'Catalogue',
  summary: 'The prebuilt APIs.',
  auth: 'public',
  answer: { kind: 'json', status: 200, schema: z.object({ apis: z.array(apiSummarySchema) }) },
  errors: [],
  tool: 'list_apis',
});

export const getApi = defineOperation({
  id: 'getApi',
  method: 'GET',
  path: '/v1/apis/{id}',
  tag: 'Catalogue',
  summary: 'Schemas, price and example of one prebuilt API.',
  auth: 'public',
  params: z.object({ id: z.string().min(1).max(80).describe('Name of the API: `photoapp-profile`.') }),
  answer: { kind: 'json', status: 200, schema: apiDescriptionSchema },
  errors: ['not_found'],
});
