import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listSettings, SETTINGS } from '@gleaner/core';
import { isTestFile } from '../imports/import-rules.ts';
import { listFiles, report, root } from '../source-files.ts';
import { findSettingFaults, type KnownSetting } from './setting-rules.ts';

const names = new Map<string, string>(
  Object.entries(SETTINGS).map(([name, { variable }]) => [variable, name]),
);
const settings = listSettings().map(({ variable }): KnownSetting => {
  const name = names.get(variable);
  return name === undefined ? { variable } : { name, variable };
});
const files = listFiles();
const sources = files.filter((path) => /^(apps|packages)\/.*\.ts$/.test(path) && !isTestFile(path));
function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
report(
  'settings',
  findSettingFaults(settings, sources.map(read), files.filter((path) => path.endsWith('.md')).map(read)),
);
