import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';

/** Writes JSON atomically with mode 0600, so that even a power failure leaves the old or the new file. */
export function writePrivateJson(path: string, value: unknown): void {
  const unfinished = `${path}.${process.pid}.new`;
  rmSync(unfinished, { force: true });
  writeFileSync(unfinished, `${JSON.stringify(value, null, 2)}\n`, {
    mode: 0o600,
    flag: 'wx',
    flush: true,
  });
  renameSync(unfinished, path);
}

/** Reads JSON of a given shape; undefined when the file is absent or has another shape. */
export function readJson<T>(path: string, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}

/** A file with private JSON in the data folder. Reading gives undefined when it is absent or damaged. */
export function dataFile<T>(name: string, schema: z.ZodType<T>) {
  const path = (dataDir: string): string => join(dataDir, name);
  return {
    path,
    read: (dataDir: string): T | undefined => readJson(path(dataDir), schema),
    write: (dataDir: string, value: T): void => writePrivateJson(path(dataDir), value),
    remove: (dataDir: string): void => rmSync(path(dataDir), { force: true }),
  };
}
