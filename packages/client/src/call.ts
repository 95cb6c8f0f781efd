/** Details of a response, without its data. */
export interface Answer<T> {
  readonly data: T;
  readonly status: number;
  /** Identifies the request in the service's log. */
  readonly requestId: string | undefined;
  /** Credits that this call used; undefined when the operation costs none. */
  readonly creditsUsed: number | undefined;
  /** Balance after it. */
  readonly creditsRemaining: number | undefined;
  /** The way by which the page of a scrape was read: `http`, `browser`, `http:highquality`, … */
  readonly fetchedBy: string | undefined;
  /** Whether this is the response to an earlier call with the same Idempotency-Key. */
  readonly isReplay: boolean;
  /** What the service ignored of the request, in words. */
  readonly notes: string | undefined;
}

/** A running call: a promise of its data. `answer()` is a promise of the data with details of the response. */
export interface Call<T> extends Promise<T> {
  answer(): Promise<Answer<T>>;
}

/** The type of the response by the type of `dry_run`: of a dry run or a real one. */
export type DryRunOr<D extends boolean, Dry, Real> = [D] extends [true]
  ? Dry
  : true extends D
    ? Dry | Real
    : Real;

export function createCall<T>(answer: Promise<Answer<T>>): Call<T> {
  const promise = answer.then(({ data }) => data);
  return Object.assign(promise, {
    answer: () => {
      // Its reader gets the failure there.
      promise.catch(() => undefined);
      return answer;
    },
  });
}

/**
 * A call that is sent when somebody asks for its answer.
 * @param send gives the same promise each time
 */
export function createLazyCall<T>(send: () => Promise<Answer<T>>): Call<T> {
  const read = async (): Promise<T> => (await send()).data;
  return {
    // oxlint-disable-next-line unicorn/no-thenable -- a call is a promise
    then: (fulfilled, failed) => read().then(fulfilled, failed),
    catch: (failed) => read().catch(failed),
    finally: (act) => read().finally(act),
    [Symbol.toStringTag]: 'Promise',
    answer: send,
  };
}

export function toAnswer<T>({ headers, status }: Response, data: T): Answer<T> {
  const readNumber = (name: string): number | undefined => {
    const header = headers.get(name);
    return header === null ? undefined : Number(header);
  };
  return {
    data,
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    creditsUsed: readNumber('x-credits-used'),
    creditsRemaining: readNumber('x-credits-remaining'),
    fetchedBy: headers.get('x-fetched-by') ?? undefined,
    isReplay: headers.get('idempotent-replay') === 'true',
    notes: headers.get('x-notes') ?? undefined,
  };
}
