import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { z } from 'zod';

/** Writes JSON that only this user may read, whole or not at all, also when the machine loses its power. */
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

/** Undefined when the file is absent or does not hold that shape. */
export function readJson<T>(path: string, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}
