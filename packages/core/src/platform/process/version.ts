import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Version {
  /** `version` in the root's package.json. */
  version: string;
  /** The commit that a bundle was made of; null when the sources run as they are, or when it was made without git. */
  commit: string | null;
}

/** Set by scripts/bundle.ts. */
declare const BUNDLED_VERSION: Version | undefined;

/** Which Gleaner this process is. */
export function readVersion(): Version {
  if (typeof BUNDLED_VERSION !== 'undefined') return BUNDLED_VERSION;
  const file = join(import.meta.dirname, '..', '..', '..', '..', '..', 'package.json');
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return { version, commit: null };
}
