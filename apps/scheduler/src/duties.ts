import {
  applyPauses,
  boundReaders,
  chunkDuties,
  createAbandonedSweeper,
  createReaderWatch,
  createRequestSweeper,
  endOldRuns,
  foldUsage,
  judgeRuns,
  keepResults,
  forgetEntries,
  noteDisk,
  openFileStore,
  pruneChanges,
  rebuildHollowIndexes,
  retentionRules,
  rollUpHealth,
  rotatePartitions,
  sampleSystem,
  sealStored,
  sumStored,
  sweepExportLinks,
  sweepHealth,
  sweepIdempotencyKeys,
  sweepPages,
  sweepQuarantine,
  sweepRemovals,
  eraseAccounts,
  sweepRetention,
  sweepSessions,
  sweepTimes,
  tellChanges,
  writeReleased,
} from '@gleaner/core';
import { dropUnusedEngines, type Database } from '@gleaner/db';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

type DutyServices = Parameters<typeof writeReleased>[0] &
  Parameters<typeof chunkDuties>[0] &
  Parameters<typeof openFileStore>[0] & {
    config: Parameters<typeof retentionRules>[0] & { maxRunDays: number; keepChangesDays: number };
    /** A pool of the watch over readers alone. */
    watchDb: Database;
    onReaderEnded: (reason: string) => void;
  };

/** Work of which one process at a time is enough. Each round finds by itself what there is to do. */
export interface Duty {
  name: string;
  /** The pause between the end of a round and the next one. */
  everyMs: number;
  run(): Promise<unknown>;
}

/**
 * All duties of the leading scheduler. Each must allow two processes at once: a leader that was frozen ends its round
 * beside the next leader. A duty that handles several accounts continues when one of them fails.
 */
export function listDuties(services: DutyServices): Duty[] {
  const { db, watchDb, log, config, onReaderEnded: onEnded } = services;
  const rules = retentionRules(config);
  const kept = openFileStore({ db, config });
  const dropUnused = async (): Promise<void> => {
    const dropped = await dropUnusedEngines(db.sql);
    if (dropped.length > 0) log.info({ dropped }, 'functions of versions that no process uses were dropped');
  };
  const seal = async (): Promise<void> => {
    const sealed = await sealStored({ db, config });
    if (sealed > 0) log.info({ sealed }, 'unencrypted headers, cookies and actions were encrypted');
  };
  const removeExpired = () =>
    Promise.all([
      sweepPages(db),
      sweepExportLinks(db),
      kept.files.removeExpired(),
      kept.blobs.removeExpired(),
    ]);
  return [
    { name: 'lost requests', everyMs: SECOND / 2, run: createRequestSweeper(services) },
    { name: 'abandoned requests', everyMs: 3 * SECOND, run: createAbandonedSweeper(services) },
    ...chunkDuties(services),
    { name: 'paused queues', everyMs: SECOND, run: () => applyPauses(services) },
    { name: 'health', everyMs: SECOND / 2, run: () => rollUpHealth(services) },
    { name: 'usage', everyMs: SECOND, run: () => foldUsage(db) },
    { name: 'stored bytes', everyMs: 3 * SECOND, run: () => sumStored(db) },
    { name: 'disk', everyMs: 2 * SECOND, run: () => noteDisk(db, config) },
    { name: 'released rows', everyMs: SECOND, run: () => writeReleased(services) },
    { name: 'told changes', everyMs: SECOND, run: () => tellChanges(services) },
    { name: 'ended runs', everyMs: 2 * SECOND, run: () => judgeRuns(services) },
    { name: 'kept results', everyMs: SECOND, run: () => keepResults(services) },
    { name: 'retention', everyMs: 30 * SECOND, run: () => sweepRetention(services, rules) },
    { name: 'erased accounts', everyMs: 2 * SECOND, run: () => eraseAccounts(services) },
    { name: 'deleted results', everyMs: 2 * SECOND, run: () => sweepRemovals(db) },
    { name: 'partitions', everyMs: MINUTE, run: () => rotatePartitions(services) },
    { name: 'samples', everyMs: MINUTE, run: () => sampleSystem(db) },
    { name: 'old runs', everyMs: MINUTE, run: () => endOldRuns(services, config.maxRunDays) },
    { name: 'cancelled entries', everyMs: 10 * SECOND, run: () => forgetEntries(db) },
    { name: 'readers', everyMs: SECOND / 2, run: createReaderWatch({ db: watchDb, log, onEnded }) },
    { name: 'bounds of readers', everyMs: 10 * MINUTE, run: () => boundReaders(db) },
    { name: 'expired files', everyMs: MINUTE, run: removeExpired },
    { name: 'idempotency keys', everyMs: 10 * MINUTE, run: () => sweepIdempotencyKeys(db) },
    { name: 'old held rows', everyMs: 10 * MINUTE, run: () => sweepQuarantine(services) },
    {
      name: 'old changes',
      everyMs: 10 * MINUTE,
      run: () => pruneChanges(services, config.keepChangesDays),
    },
    { name: 'unused functions', everyMs: 10 * MINUTE, run: dropUnused },
    { name: 'secrets in clear', everyMs: 10 * MINUTE, run: seal },
    { name: 'ended sessions', everyMs: 10 * MINUTE, run: () => sweepSessions(db) },
    { name: 'hollow indexes', everyMs: HOUR, run: () => rebuildHollowIndexes(db) },
    { name: 'old health', everyMs: HOUR, run: () => sweepHealth(db) },
    { name: 'old paces', everyMs: 10 * MINUTE, run: () => sweepTimes(db) },
  ];
}
