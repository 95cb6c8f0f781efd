import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writePrivateJson } from './private-file.ts';

const runtimeSchema = z.object({ pid: z.number().int(), base_url: z.string(), database_url: z.string() });

/** The file by which commands find the service of a data folder. It holds the database's password: 0600. */
export type Runtime = z.infer<typeof runtimeSchema>;

function runtimePath(dataDir: string): string {
  return join(dataDir, 'runtime.json');
}

export function writeRuntime(dataDir: string, runtime: Runtime): void {
  writePrivateJson(runtimePath(dataDir), runtime);
}

export function readRuntime(dataDir: string): Runtime | undefined {
  return readJson(runtimePath(dataDir), runtimeSchema);
}

export function removeRuntime(dataDir: string): void {
  return rmSync(runtimePath(dataDir), { force: true });
}
