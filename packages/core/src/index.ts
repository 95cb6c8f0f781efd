export * from './accounts/account-record.ts';
export * from './accounts/change-accounts.ts';
export { startCrons } from './crons/start-crons.ts';
export {
  createBoardRuns,
  whyBoardRunFailed,
  type BoardRun,
  type BoardRuns,
} from './runs/board/board-runs.ts';
export { createRunWatches, type RunWatches } from './runs/watch/run-watches.ts';
export { mayBeOneRow } from './platform/groups/database-errors.ts';
export * from './runs/chunks/chunk.ts';
export * from './runs/chunks/take-chunks.ts';
export * from './runs/chunks/write-chunks.ts';
export * from './platform/config/load-config.ts';
export * from './platform/config/settings.ts';
export * from './platform/context.ts';
export { createExternalDatabases } from './storage/external/external-databases.ts';
export { createGuardedDatabases } from './storage/external/guarded-databases.ts';
export { boundReaders } from './storage/databases/reader-bounds.ts';
export { createReaderWatch } from './storage/databases/watch-readers.ts';
export * from './storage/files/file-store.ts';
export {
  applyPauses,
  readPausedQueues,
  setQueuePause,
} from './platform/readiness/paused-queues.ts';
export * from './platform/readiness/readiness.ts';
export * from './platform/host-limits/postgres-host-store.ts';
export * from './platform/idempotency/claim-key.ts';
export * from './platform/ids.ts';
export * from './accounts/keys/issue-keys.ts';
export { createKeyRing, type Actor, type KeyRing } from './accounts/keys/key-ring.ts';
export * from './accounts/oauth/oauth-subjects.ts';
export * from './accounts/sessions/check-password.ts';
export { isOperator } from './accounts/sessions/dashboard-session.ts';
export * from './accounts/sessions/sessions.ts';
export { checkJsonSize } from './platform/json/check-json-size.ts';
export * from './platform/log/log.ts';
export * from './platform/metrics/collect-metrics.ts';
export * from './platform/metrics/metrics.ts';
export { nearestFolder } from './platform/metrics/read-levels.ts';
export { codesOf, isUnavailable, toAppError, toCallFailure } from './operations/call-failure.ts';
export type { CallInput } from './operations/call-input.ts';
export { openCall, type Call, type Caller } from './operations/open-call.ts';
export { operationTable } from './operations/operation-table.ts';
export type { CallResult, OperationEntry, OperationServices } from './operations/operation-entry.ts';
export * from './extraction/parse/extract-answer.ts';
export * from './storage/pages/keep-pages.ts';
export { addDelta, brokenFields, emptyStats, stateOf } from './parsers/health/add-delta.ts';
export { missingRate } from './parsers/health/drift-test.ts';
export * from './parsers/health/health-stats.ts';
export { judgePage, makeDeltas, type PageSeen } from './parsers/health/judge-page.ts';
export { rollUpHealth } from './quarantine/roll-up-health.ts';
export { sweepHealth } from './parsers/health/read-health.ts';
export { sweepQuarantine, writeReleased } from './quarantine/write-released.ts';
export { createCurrentParsers, type CurrentParsers } from './parsers/current-parsers.ts';
export * from './parsers/parser-cache.ts';
export { openProcess } from './platform/process/open-process.ts';
export * from './platform/process/run-process.ts';
export * from './platform/process/leader.ts';
export * from './platform/process/periodic-task.ts';
export { createDatabaseClock, type DatabaseClock } from './platform/process/database-clock.ts';
export { readVersion } from './platform/process/version.ts';
export { foldUsage } from './accounts/credits/usage.ts';
export { beginErasure } from './runs/accounts/begin-erasure.ts';
export { eraseAccounts } from './runs/accounts/erase-accounts.ts';
export * from './platform/retention/sweep-retention.ts';
export { clientNetwork } from './platform/rate-limits/client-network.ts';
export { createByteBudget, type ByteBudget, type ReservedBytes } from './platform/rate-limits/byte-budget.ts';
export { createFairShare, createOpenStreams } from './platform/rate-limits/fair-share.ts';
export * from './platform/rate-limits/rate-limiter.ts';
export * from './runs/deliveries/admitted.ts';
export type { AccountGroups } from './platform/groups/create-account-groups.ts';
export type { Groups } from './platform/groups/create-groups.ts';
export * from './runs/requests/end-requests.ts';
export { openInteractive, type Interactive } from './runs/requests/open-interactive.ts';
export * from './runs/requests/start-requests.ts';
export * from './runs/requests/sweep-requests.ts';
export * from './runs/submission/create-run.ts';
export { createTaskLoader } from './runs/submission/load-tasks.ts';
export * from './runs/submission/run-cache.ts';
export * from './runs/submission/run-inputs.ts';
export { carriedColumns } from './runs/stages/input-values.ts';
export { openRunSink, type RunSinkDeps } from './runs/submission/run-sink.ts';
export * from './platform/secrets/seal.ts';
export { openSinkWriter, type SinkWriter } from './storage/sinks/sink-writer.ts';
export { writeSettledRows, type SettledRows } from './storage/sinks/write-rows.ts';
export type { SinkColumn } from './storage/columns/columns.ts';
export * from './runs/stages/make-children.ts';
export * from './runs/tasks/children.ts';
export {
  createStorageWatch,
  noteDisk,
  sumStored,
  type StorageWatch,
} from './platform/stored/stored-bytes.ts';
export * from './runs/stages/stage-spec.ts';
export * from './runs/stages/store-children.ts';
export * from './runs/sweep/end-old-runs.ts';
export * from './runs/sweep/rotate-partitions.ts';
export { callWorker } from './runs/sweep/call-worker.ts';
export * from './runs/sweep/sweep-chunks.ts';
export * from './runs/tasks/input-address.ts';
export { openSpec } from './runs/tasks/sealed-spec.ts';
export { checkUrl } from './runs/tasks/check-input.ts';
export { findNewEntries, forgetEntries, type SourceEntry } from './runs/submission/new-entries.ts';
export { createKnownLinks, type KnownLinks } from './runs/crawls/known-links.ts';
export { readSourceBytes } from './runs/crawls/read-source-bytes.ts';
export { createStoredPages, type StoredPages } from './runs/crawls/stored-pages.ts';
export type { Found } from './runs/tasks/fetched-task.ts';
export * from './runs/tasks/task-spec.ts';
export { confirmAlert } from './events/alerts/confirm-alert.ts';
export { createWebhookSender, type SendMail, type SendWebhook } from './events/webhooks/deliver-webhooks.ts';
export { sealStored } from './workflows/seal-stored.ts';
export { prepareCrawl } from './workflows/runs/prepare-crawl.ts';
export { prepareWorkflowRun } from './workflows/runs/prepare-workflow-run.ts';
export { readTraceparent, openTracer, type Tracer, type WorkSpan } from './platform/trace/tracer.ts';
export * from './platform/workers/heartbeat.ts';
export { openWorkerNotices } from './platform/workers/worker-notices.ts';
