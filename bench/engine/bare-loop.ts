import { compileParser, extract } from '@gleaner/extractors';
import { Pool } from 'undici';
import { SCHEMA } from './page.ts';

/** The limit: fetch, parse and extract in one process, with nothing around it. Prints wall and CPU as JSON. */
const [origin = '', count = '20000', concurrency = '64'] = process.argv.slice(2);
const pool = new Pool(origin, { connections: Number(concurrency) });
const parser = compileParser(SCHEMA);

async function one(index: number): Promise<number> {
  const { body, headers } = await pool.request({ path: `/p/${index}`, method: 'GET' });
  const bytes = new Uint8Array(await body.arrayBuffer());
  const url = `${origin}/p/${index}`;
  const extraction = extract(parser, {
    body: bytes,
    contentType: String(headers['content-type']),
    url,
    finalUrl: url,
    status: 200,
  });
  return JSON.stringify(extraction.ok ? extraction.data : extraction.failure).length;
}

async function loop(total: number): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < total) {
      const index = next;
      next += 1;
      await one(index);
    }
  };
  await Promise.all(Array.from({ length: Number(concurrency) }, lane));
}

await loop(500);
const cpu = process.cpuUsage();
const startedAt = performance.now();
await loop(Number(count));
const wallMs = performance.now() - startedAt;
const { user, system } = process.cpuUsage(cpu);
console.log(JSON.stringify({ wallMs, cpuMs: (user + system) / 1_000 }));
await pool.close();
