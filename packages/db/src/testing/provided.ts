import { inject } from 'vitest';

/** Values that test/global-setup.ts hands to every test file. */
export interface TestServices {
  /** A superuser's URL of the run's Postgres. Its cluster is thrown away at the end. */
  postgresUrl: string;
  /** Name of the migrated database that tests clone. */
  template: string;
  /** The run's Redis, or why there is none. */
  redis: { url: string } | { missing: string };
}

declare module 'vitest' {
  interface ProvidedContext {
    services: TestServices;
  }
}

export function testServices(): TestServices {
  return inject('services');
}
