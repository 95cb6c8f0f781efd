import { openCall, type Actor, type Call, type OperationEntry } from '@gleaner/core';
import type { ApiServices } from '../services.ts';

/** The caller, from the HTTP request. */
export interface DoorClient {
  actor: Actor;
  address: string;
  requestId: string;
  /** `traceparent` for work that a call asks for. */
  trace?: string | undefined;
}

/** Calls an operation for a client, as every door does, and ends the call when the work with it is done. */
export async function withCall<T>(
  services: ApiServices,
  { actor, ...request }: DoorClient,
  { entry, signal }: { entry: OperationEntry; signal: AbortSignal },
  work: (call: Call) => Promise<T>,
): Promise<T> {
  const call = await openCall(services, entry, { ...request, authenticate: async () => actor, signal });
  try {
    return await work(call);
  } finally {
    call.end();
  }
}
