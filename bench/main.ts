import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

interface Bench {
  run: (args: string[]) => Promise<void>;
}

function isBench(module: unknown): module is Bench {
  return typeof module === 'object' && module !== null && 'run' in module && typeof module.run === 'function';
}

/** Every `bench/<name>.ts` beside this file is one. */
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && file !== 'main.ts')
  .map((file) => file.slice(0, -'.ts'.length))
  .sort();

const [name, ...args] = process.argv.slice(2);
if (name === undefined || !names.includes(name)) {
  process.stderr.write(
    `usage: npm run -s bench -- NAME [arguments]\nNAME is one of: ${names.join(', ') || '(none yet)'}\n`,
  );
  process.exit(name === undefined ? 0 : 1);
}
const module: unknown = await import(pathToFileURL(join(import.meta.dirname, `${name}.ts`)).href);
if (!isBench(module)) throw new Error(`bench/${name}.ts exports no run function`);
await module.run(args);
