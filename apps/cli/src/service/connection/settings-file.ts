import { chmodSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { readJson, writePrivateJson } from '../../start/private-file.ts';

const settingsSchema = z.object({
  /** The service that commands use without GLEANER_URL. */
  url: z.string().optional(),
  /** API keys by the address of their service. */
  keys: z.record(z.string(), z.string()).default({}),
});

export type Settings = z.infer<typeof settingsSchema>;

/** `$XDG_CONFIG_HOME/gleaner/config.json`, by default under `~/.config`. */
export function settingsPath(env: NodeJS.ProcessEnv): string {
  const base = env['XDG_CONFIG_HOME'];
  // The XDG specification requires that a relative path is ignored.
  const folder =
    base !== undefined && base.startsWith('/') ? base : join(env['HOME'] ?? homedir(), '.config');
  return join(folder, 'gleaner', 'config.json');
}

export function readSettings(env: NodeJS.ProcessEnv): Settings {
  return readJson(settingsPath(env), settingsSchema) ?? { keys: {} };
}

/** Writes the file with mode 0600, in a folder of mode 0700. @returns its path */
export function writeSettings(env: NodeJS.ProcessEnv, settings: Settings): string {
  const path = settingsPath(env);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  chmodSync(dirname(path), 0o700);
  writePrivateJson(path, settings);
  return path;
}
