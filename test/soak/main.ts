import { parseArgs } from 'node:util';
import { demandProc } from '../../bench/engine/demand-proc.ts';
import { runSoak } from './run-soak.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    backend: { type: 'string', default: 'redis' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    size: { type: 'string', default: '100' },
    'kill-seconds': { type: 'string', default: '60' },
    'no-browser': { type: 'boolean', default: false },
  },
});
demandProc();
if (values.backend !== 'redis' && values.backend !== 'postgres') throw new Error('--backend redis|postgres');

console.log(`seed ${values.seed}, ${values.minutes} minutes on ${values.backend}`);
const result = await runSoak({
  backend: values.backend,
  minutes: Number(values.minutes),
  seed: Number(values.seed),
  size: Number(values.size),
  hasBrowser: !values['no-browser'],
  killEveryMs: Number(values['kill-seconds']) * 1_000,
  say: (line) => console.log(line),
});
console.table(
  result.growth.map(
    ({ name, minutes, lastMb, mbPerMinute, leastMbPerMinute, handlesFirst, handlesLast }) => ({
      process: name,
      minutes: minutes.toFixed(1),
      MB: lastMb.toFixed(0),
      'MB a minute': mbPerMinute.toFixed(2),
      'least MB a minute': leastMbPerMinute.toFixed(2),
      handles: `${handlesFirst} to ${handlesLast}`,
    }),
  ),
);
console.table(result.quarters);
if (result.browserQuarters.length > 0) console.table(result.browserQuarters);
console.table(
  result.tables.map(({ name, firstMb, lastMb }) => ({
    name,
    firstMb: firstMb.toFixed(1),
    lastMb: lastMb.toFixed(1),
  })),
);
console.log(JSON.stringify({ ...result, seed: Number(values.seed), backend: values.backend }));
process.exitCode = result.violations.length === 0 ? 0 : 1;
