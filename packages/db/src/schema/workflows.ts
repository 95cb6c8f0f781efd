import { integer, jsonb, text } from 'drizzle-orm/pg-core';
import { gleaner, timestampNow } from './namespace.ts';

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
