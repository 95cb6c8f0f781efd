import { AppError } from '@gleaner/contracts';
import { errorCodeOf } from '@gleaner/db';
import { HostileServerError } from './guard-answers.ts';
import { serverMessage } from './server-message.ts';

/** Whether Postgres ended the connection with this error, for example when the user may no longer connect. */
export function isFatal(error: unknown): boolean {
  return error instanceof Error && 'severity' in error && error.severity === 'FATAL';
}

/** Texts for the SQLSTATEs of refused connections, and for network errors. */
const FAULTS: Readonly<Record<string, string>> = {
  '28P01': 'it refused the user or password',
  '3D000': 'the database does not exist',
  '53300': 'it has no free connection',
  '57P03': 'it is starting up or shutting down',
  ENOTFOUND: 'its host name was not found',
  EAI_AGAIN: 'its host name was not found',
  ECONNREFUSED: 'nothing listens at its host and port (connection refused)',
  ETIMEDOUT: 'it did not respond in time',
  EHOSTUNREACH: 'its host can’t be reached',
  ENETUNREACH: 'its host can’t be reached',
  NOT_POSTGRES: 'what listens there does not answer as Postgres does',
  CONNECTION_CLOSED: 'the connection was lost',
  ECONNRESET: 'it closed the connection; a server without TLS does so when TLS is requested',
};

/** Why a foreign database can't be used, in words of ours. */
export function describeFault(error: unknown): string {
  const code = errorCodeOf(error);
  if (error instanceof AppError) return error.options.detail ?? 'the host may not be reached';
  if (error instanceof Error && error.name === HostileServerError.name) return error.message;
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return 'its answer was too large';
  const known = FAULTS[code];
  if (known !== undefined) return known;
  const message = serverMessage(error);
  // 28000 covers users, databases and pg_hba.conf; only the message distinguishes them.
  if (/^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code)) return `it answered ${code}: ${message}`;
  if (/certificate|self-signed|altnames|SSL|TLS/i.test(`${message}${code}`))
    return 'its TLS certificate was not accepted, or it does not support TLS';
  return 'it did not respond';
}

/** The classes of SQLSTATE with which a server is away: connections, resources, operators, its system, and itself. */
const AWAY = /^(08|25|28|3D|53|57|58|HV|XX)/;
/** Another transaction was in the way: a deadlock, a lock, a table in use. */
const IN_THE_WAY = /^(40|55P03|55006)/;

/** Whether the data, the statement or another transaction is at fault. Other errors mean that the database is unavailable. */
export function isStatementFault(error: unknown): boolean {
  const code = errorCodeOf(error);
  return /^(?!E[A-Z]{4})[0-9A-Z]{5}$/.test(code) && !isFatal(error) && !AWAY.test(code);
}

/** Whether the same statement always fails: the table refuses the row, or the statement. */
export function isPermanentFault(error: unknown): boolean {
  return isStatementFault(error) && !IN_THE_WAY.test(errorCodeOf(error));
}
