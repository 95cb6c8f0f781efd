/** What came with the data of an answer. */
export interface Answer<T> {
  readonly data: T;
  readonly status: number;
  /** Finds the request in the service's log. */
  readonly requestId: string | undefined;
  /** Credits that this call used; undefined when the operation costs none. */
  readonly creditsUsed: number | undefined;
  /** Balance after it. */
  readonly creditsRemaining: number | undefined;
  /** The answer to an earlier call with the same Idempotency-Key. */
  readonly isReplay: boolean;
}

/** A call under way: a promise of its data, or with `answer()` of the data with what came beside it. */
export interface Call<T> extends Promise<T> {
  answer(): Promise<Answer<T>>;
}

/** Which of two answers comes: that of a dry run, or that of a real one. */
export type DryRunOr<B, Dry, Real> = B extends { readonly dry_run: infer D }
  ? true extends D
    ? [D] extends [true]
      ? Dry
      : Dry | Real
    : Real
  : Real;

/** Marks a promise as looked after: whoever reads the answer gets its failure there. */
export function leaveTo(promise: Promise<unknown>): void {
  promise.catch(() => undefined);
}

export function createCall<T>(answer: Promise<Answer<T>>): Call<T> {
  const promise = answer.then(({ data }) => data);
  return Object.assign(promise, {
    answer: () => {
      leaveTo(promise);
      return answer;
    },
  });
}

function readNumber(header: string | null): number | undefined {
  return header === null ? undefined : Number(header);
}

export function toAnswer<T>({ headers, status }: Response, data: T): Answer<T> {
  return {
    data,
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    creditsUsed: readNumber(headers.get('x-credits-used')),
    creditsRemaining: readNumber(headers.get('x-credits-remaining')),
    isReplay: headers.get('idempotent-replay') === 'true',
  };
}
