import { createId, createRun, nextRunNumber, type AdmittedRow } from '@gleaner/core';
import type { Database } from '@gleaner/db';
import { batchQueue } from '@gleaner/queue';

export interface BenchRun {
  accountId: string;
  kind: 'job' | 'batch';
  total: number;
  /** Absent: the tasks of the run's number are loaded already. */
  inputs?: string[];
  /** Default: a new one. */
  no?: string;
}

/** Creates a run of a parser that no worker loads. Its deliveries are for the caller to send. */
export async function createBenchRun(
  db: Database,
  { accountId, kind, total, inputs, no: given }: BenchRun,
): Promise<{ no: string; admitted: AdmittedRow[] }> {
  const no = given ?? (await nextRunNumber(db));
  const admitted = await db.orm.transaction((tx) =>
    createRun(tx, {
      id: createId(kind),
      no,
      accountId,
      kind,
      name: null,
      queue: batchQueue('http'),
      target: { type: 'parser', parserId: 'prs_bench', version: 1 },
      config: {},
      sink: undefined,
      webhookUrl: undefined,
      price: 1,
      maxCredits: undefined,
      total,
      inputs,
    }),
  );
  return { no, admitted };
}
