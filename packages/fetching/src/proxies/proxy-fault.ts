import { AppError, type AppErrorOptions } from '@gleaner/contracts';

/**
 * A failure of a request through a proxy before the target sent anything. It counts against the proxy, and a retry
 * may use another one.
 */
export class ProxyFault extends AppError {
  constructor(code: 'fetch_failed' | 'fetch_timed_out', options: AppErrorOptions) {
    super(code, { ...options, retryable: true });
  }
}
