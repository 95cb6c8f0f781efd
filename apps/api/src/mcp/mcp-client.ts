import type { Actor } from '@gleaner/core';

/** The caller, from the HTTP request. */
export interface McpClient {
  actor: Actor;
  address: string;
  requestId: string;
  /** `traceparent` for work that a call asks for. */
  trace?: string | undefined;
}
