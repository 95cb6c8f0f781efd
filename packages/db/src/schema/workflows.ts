import { WORKFLOW_RUN_KINDS } from '@gleaner/contracts';
import { bigint, integer, jsonb, smallint, text } from 'drizzle-orm/pg-core';
import { gleaner, timestampNow } from './namespace.ts';
import { runNumber } from './runs.ts';

export const workflows = gleaner.table('workflows', {
  id: text().primaryKey(),
  accountId: text('account_id').notNull(),
  slug: text(),
  name: text().notNull(),
  description: text(),
  /** Grows with each change of the definition. A run keeps the definition that it started with. */
  version: integer().notNull(),
  /** WorkflowDefinition of packages/contracts. */
  definition: jsonb().notNull(),
  createdAt: timestampNow('created_at'),
  updatedAt: timestampNow('updated_at'),
});

/** Columns of a workflow run beside its row of `runs`. Code that adds tasks to its stages locks this row first. */
export const workflowRuns = gleaner.table('workflow_runs', {
  /** `runs.no` of the root. */
  no: runNumber('no').primaryKey(),
  id: text().notNull(),
  accountId: text('account_id').notNull(),
  kind: text({ enum: WORKFLOW_RUN_KINDS }).notNull().default('workflow'),
  /** Null for a crawl or a map. */
  workflowId: text('workflow_id'),
  workflowVersion: integer('workflow_version'),
  /** Most tasks of all stages together. */
  maxTasks: integer('max_tasks').notNull(),
  /** Most credits that the run may ever charge; null: no limit. */
  maxCredits: bigint('max_credits', { mode: 'number' }),
});

/** Columns of a stage of a workflow run beside its row of `runs`. */
export const stages = gleaner.table('stages', {
  /** `runs.no` of the stage. */
  runNo: runNumber('run_no').primaryKey(),
  rootNo: runNumber('root_no').notNull(),
  /** Index in the workflow, from 0. */
  stage: smallint().notNull(),
  name: text().notNull(),
  /** Its part in a crawl: pages | sources | route. */
  role: text(),
  /** The other stages that it takes results of. */
  sources: smallint().array().notNull(),
  /** StageSpec of packages/core. */
  plan: jsonb().notNull(),
  maxTasks: integer('max_tasks'),
  /** Tasks that are stored. Those from `runs.total` on wait for credits and are not part of the run yet. */
  numbered: integer().notNull().default(0),
  /** Children that the stage had already. */
  duplicates: integer().notNull().default(0),
  /** Children that are not a valid input. */
  refused: integer().notNull().default(0),
  /** Children beyond the limit on tasks. */
  overLimit: integer('over_limit').notNull().default(0),
  /** Children that never began for lack of credits, or because the run was cancelled. */
  dropped: integer().notNull().default(0),
  /** Cancelled tasks of a crawl that are none of its pages: duplicates, refused by robots.txt, fetched ahead in vain. */
  leftOut: integer('left_out').notNull().default(0),
});

/**
 * Children of results, written with the outcomes of a chunk: inputs of a stage before they become tasks.
 * Deleted when they become tasks.
 */
export const childBatches = gleaner.table('child_batches', {
  id: bigint({ mode: 'bigint' }).generatedAlwaysAsIdentity().primaryKey(),
  rootNo: runNumber('root_no').notNull(),
  /** The stage that takes them. */
  runNo: runNumber('run_no').notNull(),
  parentNo: runNumber('parent_no').notNull(),
  /** One per child. */
  parentSeqs: integer('parent_seqs').array().notNull(),
  /** One line per child. */
  inputs: text().notNull(),
  /** One line per child: JSON text; null when the stage needs none. */
  carried: text(),
  /** Values beside these children that are not a valid input. */
  refused: integer().notNull(),
});
