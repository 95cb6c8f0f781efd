import type { KeepPages, ScrapeConfig } from '@gleaner/contracts';

/** What `runs.config` holds: the merged scrape_config, and how the run treats pages. */
export interface RunConfig extends ScrapeConfig {
  /** Absent: `failed`. */
  keepPages?: KeepPages | undefined;
  /** Names of values of the inputs that tasks keep, by the column that holds them. */
  carry?: Readonly<Record<string, string>> | undefined;
  /** `kept`: the tasks read pages that another run kept and fetch nothing. */
  pages?: 'kept' | undefined;
  /** The lowest `WORK_LEVEL` of a worker that does this work correctly. Absent: any worker. */
  needs?: number | undefined;
}
