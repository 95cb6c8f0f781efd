import { getHeapStatistics } from 'node:v8';
import { AppError } from '@gleaner/contracts';

/** Bytes of bodies that one caller may have in memory: two of the largest, if the process has the memory. */
const CALLER_BYTES = 160 * 1024 * 1024;
/**
 * Bytes of all callers, beyond which those above their even share are refused: a quarter of the heap, since a body takes four
 * times its size until it is answered; at least one of the largest, and at most six.
 */
const PROCESS_BYTES = Math.min(
  Math.max(getHeapStatistics().heap_size_limit / 4, 64 * 1024 * 1024),
  384 * 1024 * 1024,
);

export type ByteBudget = ReturnType<typeof createByteBudget>;
export type ReservedBytes = ReturnType<ByteBudget['open']>;

/** Counts what a process holds of the bodies that it reads and of its answers, so that no caller fills its memory. */
export function createByteBudget(callerBytes = CALLER_BYTES, processBytes = PROCESS_BYTES) {
  const callers = new Map<string, number>();
  let total = 0;
  const change = (caller: string, bytes: number): number => {
    const reserved = (callers.get(caller) ?? 0) + bytes;
    if (reserved === 0) callers.delete(caller);
    else callers.set(caller, reserved);
    total += bytes;
    return reserved;
  };
  return {
    /** Begins a request of a caller. */
    open: (caller: string) => {
      let own = 0;
      const remove = (bytes: number): void => {
        if (bytes > 0) change(caller, -bytes);
        own -= bytes;
      };
      return {
        /** @throws AppError concurrency_limit_exceeded when the caller holds too much */
        add: (bytes: number): void => {
          own += bytes;
          const reserved = change(caller, bytes);
          if (reserved <= callerBytes && (total <= processBytes || reserved <= processBytes / callers.size))
            return;
          throw new AppError('concurrency_limit_exceeded', {
            detail: `bodies and unread answers of this caller take ${Math.round(reserved / 1_048_576)} MiB of memory`,
            hint: 'Send fewer large bodies at the same time, and read answers to their end.',
            retryAfterSeconds: 5,
          });
        },
        /** Part of it is no longer in memory. */
        remove: (bytes: number): void => remove(Math.min(bytes, own)),
        /** Nothing of it is. */
        end: (): void => remove(own),
      };
    },
  };
}
