import { existsSync } from 'node:fs';
import { API_IDS, isApiId } from '@gleaner/contracts';
import { SAMPLES } from './sites/samples.ts';
import { type SampleReport, sweepSamples } from './sites/sweep.ts';

function percent(part: number, whole: number): string {
  return whole === 0 ? '-' : `${((100 * part) / whole).toFixed(2)} %`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

function shorten(value: unknown): string {
  return (JSON.stringify(value) ?? 'undefined').slice(0, 90);
}

function printDisagreements({
  api,
  name,
  wrong,
  note,
  schemaFaults,
  isOutcomeRight,
  said,
  outcome,
}: SampleReport): void {
  if (wrong.length === 0 && schemaFaults.length === 0 && isOutcomeRight) return;
  console.log(`  ${api}/${name}: ${wrong.length} disagree${note ? ` (${note})` : ''}`);
  if (!isOutcomeRight) console.log(`    said to be ${said}, read as ${outcome}`);
  for (const fault of schemaFaults.slice(0, 5)) console.log(`    not as the schema says: ${fault}`);
  if (note !== undefined) return;
  for (const { path, expected, got } of wrong.slice(0, 8)) {
    console.log(`    ${path}: expected ${shorten(expected)}, got ${shorten(got)}`);
  }
}

/**
 * Agreement of the prebuilt extractors with the recordings in ../shared/samples (or the folder given), field by field.
 * Arguments: a folder, ids of APIs, `--detail`.
 */
export async function run(args: string[]): Promise<void> {
  const root = args.find((arg) => arg.includes('/')) ?? SAMPLES;
  const apis = args.filter(isApiId);
  if (!existsSync(root)) {
    console.log(`no samples at ${root}: nothing to compare`);
    console.log(JSON.stringify({ bench: 'sites', skipped: true }));
    return;
  }
  const reports = sweepSamples(root, apis.length > 0 ? apis : API_IDS);
  const rows = (apis.length > 0 ? apis : API_IDS).map((api) => {
    const own = reports.filter((report) => report.api === api);
    const counted = own.filter((report) => report.note === undefined || report.wrong.length === 0);
    const compared = sum(counted.map((report) => report.compared));
    const wrong = sum(counted.map((report) => report.wrong.length));
    return {
      api,
      recordings: own.length,
      values: compared,
      agree: compared - wrong,
      agreement: percent(compared - wrong, compared),
      outcomes: `${counted.filter((report) => report.isOutcomeRight).length}/${counted.length}`,
      noted: own.length - counted.length,
      'median CPU ms': Number(median(own.map((report) => report.cpuMs)).toFixed(1)),
    };
  });
  console.table(rows);
  const noted = reports.filter((report) => report.note !== undefined);
  for (const { api, name, note } of noted) console.log(`  note: ${api}/${name}: ${note}`);
  reports.forEach(printDisagreements);
  const values = sum(rows.map((row) => row.values));
  const agree = sum(rows.map((row) => row.agree));
  console.log(
    JSON.stringify({
      bench: 'sites',
      recordings: reports.length,
      values,
      agree,
      agreement: values === 0 ? null : agree / values,
      outcomesRight: reports.filter((report) => report.isOutcomeRight).length,
      schemaFaults: sum(reports.map((report) => report.schemaFaults.length)),
    }),
  );
}
