/** Postgres's error codes that the service handles: https://www.postgresql.org/docs/18/errcodes-appendix.html. */
export const PG_ERRORS = {
  invalidAuthorization: '28000',
  invalidPassword: '28P01',
  invalidCatalogName: '3D000',
  invalidSchemaName: '3F000',
  transactionTimeout: '25P04',
  foreignKeyViolation: '23503',
  uniqueViolation: '23505',
  checkViolation: '23514',
  serializationFailure: '40001',
  deadlockDetected: '40P01',
  insufficientPrivilege: '42501',
  undefinedTable: '42P01',
  lockNotAvailable: '55P03',
  queryCanceled: '57014',
} as const;

/** The `code` of an error: SQLSTATE for errors of Postgres, a name such as `ECONNREFUSED` for the connection's. */
export function errorCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Whether the error means that Gleaner's schema or tables are missing. */
export function isNotMigrated(error: unknown): boolean {
  const code = errorCodeOf(error);
  return code === PG_ERRORS.invalidSchemaName || code === PG_ERRORS.undefinedTable;
}

/** Whether the same transaction may succeed when repeated: deadlock, serialization failure, lock timeout. */
export function isTransientError(error: unknown): boolean {
  const code = errorCodeOf(error);
  return (
    code === PG_ERRORS.deadlockDetected ||
    code === PG_ERRORS.serializationFailure ||
    code === PG_ERRORS.lockNotAvailable
  );
}
