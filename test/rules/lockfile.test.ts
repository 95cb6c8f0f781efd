import { expect, test } from 'vitest';
import { findMissingPlatforms } from '../../scripts/packages/lockfile-platforms.ts';

const binaries = {
  'fast-linux-x64': '1.0.0',
  'fast-linux-arm64': '1.0.0',
  'fast-darwin-x64': '1.0.0',
  'fast-darwin-arm64': '1.0.0',
  'fast-win32-x64': '1.0.0',
};

test('a package with all its binaries passes, and one for Windows may be missing', () => {
  const packages = {
    'node_modules/fast': { optionalDependencies: binaries },
    ...Object.fromEntries(
      Object.keys(binaries)
        .filter((name) => !name.includes('win32'))
        .map((name) => [`node_modules/${name}`, {}]),
    ),
  };
  expect(findMissingPlatforms({ packages })).toEqual([]);
});

test('each binary that the lockfile lacks is reported', () => {
  const packages = {
    'node_modules/fast': { optionalDependencies: binaries },
    'node_modules/fast-linux-x64': {},
    'node_modules/fast/node_modules/fast-darwin-x64': {},
  };
  expect(findMissingPlatforms({ packages })).toEqual([
    'node_modules/fast: the lockfile lacks fast-linux-arm64',
    'node_modules/fast: the lockfile lacks fast-darwin-arm64',
  ]);
});

test('other spellings of x64 are recognised, and packages without binaries are ignored', () => {
  const packages = {
    'node_modules/turbo': { optionalDependencies: { '@turbo/darwin-64': '2.0.0', fsevents: '2.0.0' } },
  };
  expect(findMissingPlatforms({ packages })).toEqual([
    'node_modules/turbo: the lockfile lacks @turbo/darwin-64',
  ]);
});
