import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isInstalled } from '../../scripts/installed-packages.mjs';

const LINUX = { machine: { platform: 'linux', arch: 'x64' } };
const PACKAGES = {
  '': { version: '0.1.0' },
  'packages/own': { version: '0.1.0' },
  'packages/own/node_modules/b': { version: '2.0.0' },
  'node_modules/own': { link: true },
  'node_modules/a': { version: '1.0.0' },
  'node_modules/a-linux': { version: '1.0.0', optional: true, os: ['linux'], cpu: ['x64'] },
  'node_modules/a-darwin': { version: '1.0.0', optional: true, os: ['darwin'], cpu: ['arm64'] },
};
const { 'node_modules/a-darwin': _, ...INSTALLED } = PACKAGES;

let root: string;

function write(name: string, packages: object): void {
  writeFileSync(join(root, name), JSON.stringify({ packages }));
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gleaner-installed-'));
  mkdirSync(join(root, 'node_modules'));
  write('package-lock.json', PACKAGES);
  write('node_modules/.package-lock.json', INSTALLED);
});
afterEach(() => rmSync(root, { recursive: true }));

it('installs nothing again when only a version of the project changed', () => {
  expect(isInstalled(root, LINUX)).toBe(true);
  write('package-lock.json', {
    ...PACKAGES,
    '': { version: '0.2.0' },
    'packages/own': {},
  });
  expect(isInstalled(root, LINUX)).toBe(true);
});

it('installs again for another version, a new package, another machine, and after an install that was cut off', () => {
  write('package-lock.json', { ...PACKAGES, 'node_modules/a': { version: '1.0.1' } });
  expect(isInstalled(root, LINUX)).toBe(false);
  write('package-lock.json', { ...PACKAGES, 'node_modules/c': { version: '1.0.0' } });
  expect(isInstalled(root, LINUX)).toBe(false);
  write('package-lock.json', { ...PACKAGES, 'packages/own/node_modules/b': { version: '2.1.0' } });
  expect(isInstalled(root, LINUX)).toBe(false);
  write('package-lock.json', PACKAGES);
  expect(isInstalled(root, { machine: { platform: 'linux', arch: 'arm64' } })).toBe(false);
  rmSync(join(root, 'node_modules', '.package-lock.json'));
  expect(isInstalled(root, LINUX)).toBe(false);
});

it('starts the service without what only tests and checks need, and installs that before they run', () => {
  const tests = { 'node_modules/tests': { version: '1.0.0', dev: true } };
  write('package-lock.json', { ...PACKAGES, ...tests });
  expect(isInstalled(root, { ...LINUX, forDevelopment: false })).toBe(true);
  expect(isInstalled(root, LINUX)).toBe(false);
  write('node_modules/.package-lock.json', { ...INSTALLED, ...tests });
  expect(isInstalled(root, LINUX)).toBe(true);
  write('node_modules/.package-lock.json', { ...INSTALLED, 'node_modules/tests': { version: '0.9.0' } });
  expect(isInstalled(root, { ...LINUX, forDevelopment: false }), 'a start leaves no mixture behind').toBe(
    false,
  );
});
