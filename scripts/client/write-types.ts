import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../source-files.ts';
import { clientTypesFile } from './client-file.ts';

const TYPES = 'generated/operations.ts';

/** Writes the types of all operations into the client's sources. The file is in no commit. */
export function writeClientTypes(sources: string = join(root, 'packages/client/src')): void {
  const path = join(sources, TYPES);
  const text = clientTypesFile();
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

if (import.meta.main) writeClientTypes();
