import type { CallInput, CallOutput } from './call.ts';

/** What the operator's pages show and change. */
export type Health = CallOutput<'getSystemHealth'>;
export type Account = CallOutput<'updateAccount'>['account'];
export type AccountChange = NonNullable<CallInput<'updateAccount'>['body']>;
