import { parseArgs } from 'node:util';
import { MIXES } from './load.ts';
import { runChaos } from './run-chaos.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    backend: { type: 'string', default: 'redis' },
    size: { type: 'string', default: '700' },
    'stop-seconds': { type: 'string', default: '40' },
    only: { type: 'string' },
    with: { type: 'string' },
  },
});
if (values.backend !== 'redis' && values.backend !== 'postgres') throw new Error('--backend redis|postgres');

const asked = (values.with ?? '').split(',').filter((name) => name !== '');
const mix = MIXES.filter((name) => asked.includes(name));
if (mix.length < asked.length) throw new Error(`--with ${MIXES.join(',')}`);

console.log(`seed ${values.seed}, ${values.rounds} rounds on ${values.backend}`);
const result = await runChaos({
  backend: values.backend,
  rounds: Number(values.rounds),
  seed: Number(values.seed),
  size: Number(values.size),
  stopMs: Number(values['stop-seconds']) * 1_000,
  awayMs: 500,
  only: values.only,
  mix,
  say: (line) => console.log(line),
});
console.log(JSON.stringify({ ...result, seed: Number(values.seed), backend: values.backend }));
process.exitCode = result.violations.length === 0 ? 0 : 1;
