import { expect, it } from 'vitest';
import { findSettingFaults } from '../../scripts/settings/setting-rules.ts';

const SETTINGS = [
  { name: 'keepDays', variable: 'KEEP_DAYS' },
  { name: 's3Url', variable: 'S3_URL' },
  { variable: 'SITE_ORIGIN' },
];

it('finds settings that no code reads, however code reads them', () => {
  const page = '`KEEP_DAYS`, `S3_URL` and `SITE_ORIGIN=http://x`';
  const sources = ['sweep(services.config.keepDays)', 'function open({ region, s3Url: url }: Config) {}'];
  expect(findSettingFaults(SETTINGS, sources, [page])).toEqual([]);
  expect(findSettingFaults(SETTINGS, ['const { s3Url } = services.config;', 'keepDays'], [page])).toEqual([
    'KEEP_DAYS: no code reads it',
  ]);
});

it('finds settings that only the generated table names', () => {
  const table = '<!-- configuration: x -->\n| `KEEP_DAYS` |\n<!-- /configuration -->';
  const sources = ['config.keepDays', 'config.s3Url'];
  expect(findSettingFaults(SETTINGS, sources, [`${table} \`S3_*\``, '`SITE_ORIGIN`'])).toEqual([
    'KEEP_DAYS: no page explains it',
  ]);
});
