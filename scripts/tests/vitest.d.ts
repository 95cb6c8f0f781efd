import type * as vitest from 'vitest';

/** Names this file a module, so that what follows adds to vitest's own types. */
export type Vitest = typeof vitest;

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether tests run in their whole form, which may take an hour. */
    isLong: boolean;
  }
  interface TaskMeta {
    /** What this machine lacks for a test or a suite that is skipped. */
    missing?: string;
  }
}
