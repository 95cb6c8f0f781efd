import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findMissingPlatforms, type Lockfile } from './lockfile-platforms.ts';
import { report, root } from './source-files.ts';

const lockfile: Lockfile = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
report('lockfile', findMissingPlatforms(lockfile));
