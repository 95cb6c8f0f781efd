/** The address of an operation, and its kinds of request and response. */
export interface Route {
  /** The operation's id. */
  readonly id?: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With `{name}` for parameters. */
  readonly path: string;
  readonly takes?: 'body' | 'parts';
  readonly hasQuery?: boolean;
  /** The service honours an Idempotency-Key. */
  readonly creates?: boolean;
  readonly isMetered?: boolean;
  readonly answer: 'json' | 'list' | 'empty' | 'stream' | 'events' | 'wait';
  /** Name of the list in a response of kind `list`. */
  readonly list?: string;
  /** Path of the progress events for `wait`. */
  readonly events?: string;
}

/** Routes by group and method. */
export type Routes = Readonly<Record<string, Readonly<Record<string, Route>>>>;

export interface CallOptions {
  /** Ends the call with the signal's reason. */
  signal?: AbortSignal;
  /** Time limit of one attempt: for the whole response, or for the start of a stream. */
  timeoutMs?: number;
  /** Further attempts after a temporary failure. */
  retries?: number;
  headers?: Readonly<Record<string, string>>;
}

export interface CreateOptions extends CallOptions {
  /**
   * Makes the call safe to repeat: within 24 hours, the same key with the same body creates nothing more. By default the
   * client generates a key for each call, so that its own retries create nothing twice.
   */
  idempotencyKey?: string;
}
