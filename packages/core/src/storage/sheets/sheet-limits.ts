/** The most bytes of a spreadsheet's archive itself. */
export const MOST_ARCHIVE_BYTES = 32 * 1024 * 1024;

/** How a spreadsheet begins: it is a zip archive. */
export const ARCHIVE_MARK = 'PK\u0003\u0004';

/** How the process that reads or writes a spreadsheet ends when it refuses. */
export const SHEET_EXITS = {
  rows: 10,
  bytes: 11,
  type: 12,
  memory: 13,
  time: 14,
  damaged: 15,
  digits: 16,
} as const;

/** What ends the process. */
export interface SheetLimits {
  /** The most rows, without the header. */
  maxRows: number;
  /** Size of what the archive holds. */
  maxUnpackedMb: number;
  maxMemoryMb: number;
  maxCpuMs: number;
}

export const SHEET_LIMITS: SheetLimits = {
  maxRows: 100_000,
  maxUnpackedMb: 64,
  maxMemoryMb: 400,
  maxCpuMs: 60_000,
};
