import { AppError, type AppErrorOptions } from '@gleaner/contracts';

/**
 * A failure before anything was heard from the target, while a proxy was in between: the proxy's as far as anyone
 * can tell, so another one may do better.
 */
export class ProxyFault extends AppError {
  constructor(code: 'fetch_failed' | 'fetch_timed_out', options: AppErrorOptions) {
    super(code, { ...options, retryable: true });
  }
}
