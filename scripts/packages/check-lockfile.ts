import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPackageFaults } from './dependencies-page.ts';
import type { LockedPackages } from './lockfile-packages.ts';
import { findMissingPlatforms } from './lockfile-platforms.ts';
import { report, root } from '../source-files.ts';

const lockfile: LockedPackages = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
report('lockfile', [...findMissingPlatforms(lockfile), ...findPackageFaults(lockfile)]);
