import { createHash } from 'node:crypto';
import { AppError } from '@gleaner/contracts';
import { z } from 'zod';
import { BATCH_NAME, type batchBody } from './bodies.ts';
import { callOperation, type DoorRequest } from './door-call.ts';

const parserSchema = z.object({ id: z.string() });

function isError(error: unknown, code: AppError['code']): boolean {
  return error instanceof AppError && error.code === code;
}

/**
 * The parser with this schema, which batches need. It is made once: its slug names the schema, and its first version is
 * the schema, whatever its owner makes of it.
 */
async function parserOf(request: DoorRequest, schema: { fields: object }): Promise<string> {
  const digest = createHash('sha256').update(JSON.stringify(schema)).digest('hex').slice(0, 24);
  const slug = `firecrawl-${digest}`;
  const find = () => callOperation(request, 'getParser', { params: { id: slug } });
  const create = () => {
    const formats = Object.keys(schema.fields).filter((name) => name !== 'metadata');
    const body = {
      slug,
      name: `Firecrawl: ${formats.join(', ')}`,
      description: 'Made for batches of /firecrawl/v2. They use its first version.',
      schema,
    };
    return callOperation(request, 'createParser', { body });
  };
  const { value } = await find()
    .catch((error: unknown) => {
      if (!isError(error, 'not_found')) throw error;
      return create();
    })
    .catch((error: unknown) => {
      // Another request has made it meanwhile.
      if (!isError(error, 'name_taken')) throw error;
      return find();
    });
  return parserSchema.parse(value).id;
}

const startedSchema = z.object({
  id: z.string(),
  refused: z.array(z.object({ input: z.unknown() })).optional(),
});

/** Starts a batch. @returns its id, and invalid addresses that it leaves out, the first of them */
export async function startBatch(
  request: DoorRequest,
  { schema, call }: z.output<typeof batchBody>,
  idempotencyKey: string | undefined,
): Promise<{ id: string; invalidURLs: unknown[] }> {
  const parserId = await parserOf(request, schema);
  const body = { ...call, name: BATCH_NAME, target: { type: 'parser', parserId, version: 1 } };
  const { value } = await callOperation(request, 'createBatch', { body, idempotencyKey });
  const { id, refused = [] } = startedSchema.parse(value);
  return { id, invalidURLs: refused.map(({ input }) => input) };
}
