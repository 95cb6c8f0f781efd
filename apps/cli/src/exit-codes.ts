import { isGleanerError, type GleanerError } from '@gleaner/client';

/** The meaning of each exit code; docs/use/cli.md has the same table. */
export const EXIT = {
  /** A wrong command, a refused request, or a fault of the program. */
  failed: 1,
  /** The page gave no data: it could not be fetched, or its extraction failed. */
  noData: 2,
  /** The API key is missing or refused. */
  unauthorized: 3,
  /** Also: what answers is not Gleaner. */
  notFound: 4,
  /** Too few credits, or a limit of the account. */
  limited: 5,
  /** The service gave no answer, or is not available. */
  unavailable: 6,
  /** The run ended without a success, was cancelled, or with --strict has failures. */
  runFailed: 7,
  /** Ctrl-C: the work on the service continues. */
  interrupted: 130,
} as const;

/** An outcome that the command has described already; the process only ends with its code. */
export class ExitCode extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit code ${code}`);
    this.name = 'ExitCode';
    this.code = code;
  }
}

/** Whether the answer is of a server that is not Gleaner, rather than of a proxy before it. */
export function isOfStranger(error: GleanerError): boolean {
  return isGleanerError(error, 'unexpected answer') && error.status < 500 && error.status !== 401;
}

/** The exit code of a failed call. */
export function codeOf(error: GleanerError): number {
  const { status } = error;
  if (isGleanerError(error, 'extraction failed', 'fetch failed', 'fetch timed out', 'site changed')) {
    return EXIT.noData;
  }
  if (isGleanerError(error, 'target blocked', 'target not found')) return EXIT.noData;
  if (status === 401) return EXIT.unauthorized;
  if (status === 404 || isOfStranger(error)) return EXIT.notFound;
  if (status === 402 || status === 429) return EXIT.limited;
  if (status === 0 || status >= 500) return EXIT.unavailable;
  return EXIT.failed;
}
