import { API_IDS } from '@gleaner/contracts';
import { describe, expect, it } from 'vitest';
import { findTestData } from '../../test-data.mjs';
import { sweepSamples } from './sweep.ts';

const SAMPLES = findTestData('samples');

describe.skipIf(SAMPLES.isMissing)('recorded pages', { meta: SAMPLES.meta }, () => {
  it.each([...API_IDS])('%s agrees with at least 99 % of the expected values and every outcome', (api) => {
    const reports = sweepSamples(SAMPLES.path, api).filter((report) => report.note === undefined);
    const values = reports.reduce((sum, report) => sum + report.compared, 0);
    const wrong = reports.flatMap((report) => report.wrong.map((fault) => ({ name: report.name, ...fault })));
    expect(values).toBeGreaterThan(0);
    expect(wrong.length / values, JSON.stringify(wrong.slice(0, 5))).toBeLessThanOrEqual(0.01);
    expect(
      reports.filter((report) => !report.isOutcomeRight).map(({ name, outcome }) => `${name}: ${outcome}`),
    ).toEqual([]);
    expect(reports.flatMap((report) => report.schemaFaults)).toEqual([]);
  });
});
