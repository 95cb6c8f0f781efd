import { batchQueue } from '@gleaner/queue';
import type { Services } from '../platform/context.ts';
import { createId } from '../platform/ids.ts';
import type { AdmittedRow } from '../runs/deliveries/admitted.ts';
import { createRun, nextRunNumber, type NewRun } from '../runs/submission/create-run.ts';

export interface TestRun {
  accountId: string;
  id: string;
  no: string;
  /** What was admitted at once; nothing of it is in the queue yet. */
  admitted: readonly AdmittedRow[];
}

/** A batch of these URLs at a price of 1, unless `options` says otherwise. */
export async function newTestRun(
  services: Services,
  accountId: string,
  inputs: readonly string[],
  options: Partial<NewRun> = {},
): Promise<NewRun & { no: string }> {
  return {
    id: createId('batch'),
    no: await nextRunNumber(services.db),
    accountId,
    kind: 'batch',
    name: null,
    queue: batchQueue('http'),
    target: { type: 'parser', parserId: 'prs_test', version: 1 },
    config: {},
    sink: undefined,
    webhookUrl: undefined,
    price: 1,
    maxCredits: undefined,
    total: inputs.length,
    inputs,
    ...options,
  };
}

/** Creates such a batch. */
export async function submitTestRun(
  services: Services,
  accountId: string,
  inputs: readonly string[],
  options: Partial<NewRun> = {},
): Promise<TestRun> {
  const run = await newTestRun(services, accountId, inputs, options);
  const admitted = await services.db.transact((tx) => createRun(tx, run));
  return { accountId, id: run.id, no: run.no, admitted };
}

/** `count` URLs that nobody fetches. */
export function testUrls(count: number): string[] {
  return Array.from({ length: count }, (_, place) => `http://a.test/${place + 1}`);
}
