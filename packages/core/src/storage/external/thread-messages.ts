import type { ConnectionTarget } from './connection-target.ts';
import type { ForeignTransaction, TransactionRows } from './foreign-transaction.ts';
import type { PinnedAddress } from './open-connection.ts';

/** What a thread for one database gets when it starts. */
export interface ThreadData {
  target: ConnectionTarget;
}

/** A message to the thread. Without a transaction the thread closes its connections and ends. */
export type ThreadRequest = { id: number; address: PinnedAddress; transaction: ForeignTransaction } | 'close';

export interface ForeignError {
  message: string;
  /** SQLSTATE, or the code of a network error. */
  code: string;
  severity: string | undefined;
}

/** A message from the thread. */
export type ThreadReply =
  | { id: number; rows: TransactionRows; schema: string | null; version: number }
  | { id: number; error: ForeignError };
