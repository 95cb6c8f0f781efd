import { expect, it } from 'vitest';
import { findFileCycles, findFolderCycles } from '../../scripts/imports/folder-cycles.ts';
import { findImportFaults, listImports, type Manifest } from '../../scripts/imports/import-rules.ts';

const manifests = new Map(
  Object.entries<Manifest>({
    '': { name: 'gleaner', devDependencies: { vitest: '1' } },
    'packages/contracts': { name: '@gleaner/contracts', dependencies: { zod: '4' } },
    'apps/dashboard': { name: '@gleaner/dashboard', devDependencies: { '@gleaner/contracts': '0' } },
    'packages/core': {
      name: '@gleaner/core',
      dependencies: { '@gleaner/contracts': '0', '@gleaner/db': '0', postgres: '3' },
    },
    'packages/db': { name: '@gleaner/db', dependencies: { postgres: '3', '@gleaner/core': '0' } },
    'packages/queue': { name: '@gleaner/queue' },
    'packages/extractors': { name: '@gleaner/extractors', dependencies: { '@gleaner/contracts': '0' } },
    'packages/learn': { name: '@gleaner/learn', dependencies: { '@gleaner/extractors': '0' } },
    'packages/threads': { name: '@gleaner/threads', dependencies: { '@gleaner/learn': '0' } },
    'packages/client': {
      name: '@gleaner/client',
      dependencies: { 'eventsource-parser': '4', zod: '4' },
      devDependencies: { '@gleaner/contracts': '0' },
    },
    'apps/cli': { name: '@gleaner/cli', dependencies: { '@gleaner/client': '0' } },
    'apps/api': {
      name: '@gleaner/api',
      dependencies: { '@gleaner/core': '0', postgres: '3', '@gleaner/worker': '0' },
    },
    'apps/worker': { name: '@gleaner/worker' },
  }),
);

function faultsOf(path: string, text: string): string[] {
  return findImportFaults({ files: new Map([[path, text]]), manifests });
}

it.each([
  ['packages/core/src/a.ts', "import { x } from '@gleaner/contracts';\nimport postgres from 'postgres';"],
  ['packages/core/src/a.test.ts', "import { it } from 'vitest';"],
  ['packages/core/src/a.ts', "import { x } from './b.ts';\nexport * from '../src/c.ts';"],
  ['packages/core/src/a.ts', "// import { x } from 'left-pad';\n/* import 'y' */"],
  ['packages/client/src/a.ts', "import { x } from 'eventsource-parser';"],
  ['packages/client/src/a.test.ts', "import { x } from '@gleaner/contracts';"],
  ['apps/cli/src/a.ts', "import { x } from '@gleaner/client';"],
  ['packages/threads/src/a.ts', "import os from 'node:os';\nDate.now();"],
  ['packages/threads/src/a.ts', "import { x } from '@gleaner/learn';"],
  [
    'apps/dashboard/src/a.ts',
    "import type { FieldObject } from '@gleaner/contracts';\nimport { TAKES } from '@gleaner/contracts/values';",
  ],
  ['packages/contracts/src/values/a.ts', "export * from './b.ts';"],
  ['packages/extractors/src/a.ts', "import { cutText } from '@gleaner/contracts/text';"],
  ['packages/core/src/a.ts', 'await db.sql`SELECT 1`;'],
  ['packages/core/src/a.ts', 'await sql`SELECT ${sql(ENGINE)}.lost_turns()`;'],
  ['packages/queue/src/postgres.ts', "await pool.query('SELECT 1');"],
  ['apps/worker/src/a.ts', '// sql`SELECT 1`\nawait select(update, "Choose what to update and set it.");'],
  ['apps/worker/src/a.ts', 'await db.sql.begin(async (tx) => commit(tx));'],
  ['apps/worker/src/a.test.ts', 'await db.sql`SELECT 1`;'],
  ['packages/core/src/a.test.ts', "import { findTestData } from '../../../test/test-data.mjs';"],
])('allows %s: %s', (path, text) => {
  expect(faultsOf(path, text)).toEqual([]);
});

it.each([
  ['packages/core/src/a.ts', "import x from 'left-pad';", /not named in packages\/core\/package\.json/],
  ['packages/core/src/a.ts', "const x = await import('left-pad');", /not named/],
  ['packages/core/src/a.ts', "import type {\n  X,\n} from 'left-pad/types';", /not named/],
  ['packages/core/src/a.ts', "import { it } from 'vitest';", /not named/],
  ['packages/core/src/a.ts', "import { x } from '../../db/src/x.ts';", /leaves its package/],
  ['packages/core/src/a.ts', "import fs from 'fs';", /node: in front/],
  ['packages/core/src/a.ts', 'await sql`SELECT engine.lost_turns()`;', /a name per version/],
  ['packages/core/src/a.ts', 'sql`SELECT NULL::engine.delivery`;', /a name per version/],
  ['packages/core/src/a.ts', 'sql.unsafe(`engine.${name}`);', /a name per version/],
  ['packages/db/src/a.ts', "import { x } from '@gleaner/core';", /arrow from packages\/db to packages\/core/],
  ['packages/contracts/src/a.ts', "import fs from 'node:fs';", /browser/],
  ['packages/extractors/src/a.ts', "import { cutText } from '@gleaner/contracts';", /threads load this/],
  [
    'apps/dashboard/src/a.ts',
    "import {\n  TAKES,\n} from '@gleaner/contracts';",
    /@gleaner\/contracts\/values/,
  ],
  ['packages/contracts/src/values/a.ts', "import { z } from 'zod';", /no library/],
  ['packages/contracts/src/values/a.ts', "import { x } from '../errors.ts';", /no library/],
  ['packages/client/src/a.ts', "import { x } from 'node:fs';", /browsers and edge/],
  ['packages/client/src/a.ts', "import { x } from 'zod';", /published alone/],
  ['packages/client/src/a.ts', "import { x } from '@gleaner/contracts';", /not named/],
  ['packages/core/src/a.ts', "import { x } from '@gleaner/client';", /arrow from packages\/core/],
  ['packages/extractors/src/a.ts', "import fs from 'node:fs';", /pure/],
  ['packages/learn/src/a.ts', "import fs from 'node:fs';", /pure/],
  ['packages/extractors/src/a.ts', 'const now = new Date();', /no clock/],
  ['apps/api/src/a.ts', "import { x } from '@gleaner/worker/main';", /no one imports an app/],
  ['apps/api/src/routes/a.ts', "import postgres from 'postgres';", /SQL belongs/],
  ['apps/worker/src/a.ts', 'await db.sql`${statement}`;', /SQL belongs/],
  ['apps/worker/src/a.ts', 'await db.sql<{ id: Map<string, string> }[]>`x`;', /SQL belongs/],
  ['apps/worker/src/a.ts', "await db.sql.listen('gleaner', act);", /SQL belongs/],
  ['apps/api/src/a.ts', 'await db.sql.unsafe(text);', /SQL belongs/],
  ['apps/api/src/a.ts', "await query('INSERT INTO gleaner.runs VALUES (1)');", /SQL belongs/],
  ['apps/api/src/a.ts', 'await query(`\n  UPDATE gleaner.runs SET state = 1`);', /SQL belongs/],
  ['packages/queue/src/catalog.ts', "await pool.query('SELECT 1');", /SQL belongs/],
  ['packages/core/src/utils/a.ts', '', /name it for what it holds/],
  ['packages/core/src/helpers.ts', '', /name it for what it holds/],
])('refuses %s: %s', (path, text, fault) => {
  const faults = faultsOf(path, text);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toMatch(fault);
});

it('reads every way of importing', () => {
  const text = `import a from 'a';
    import 'b';
    export { c } from 'c';
    import type { D } from "d";
    const e = import('e');
    const no = "import f from 'f'";`;
  expect(listImports(text).toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
});

it('finds circles of files and of sibling folders, each once', () => {
  const graph = new Map([
    ['p/a.ts', ['p/b.ts']],
    ['p/b.ts', ['p/c.ts']],
    ['p/c.ts', ['p/a.ts', 'p/d.ts']],
    ['p/d.ts', []],
    ['q/x/1.ts', ['q/y/z/2.ts', 'q/main.ts']],
    ['q/y/3.ts', ['q/x/4.ts']],
    ['q/main.ts', ['q/y/3.ts']],
  ]);
  expect(findFileCycles(graph)).toEqual(['files import each other: p/a.ts → p/b.ts → p/c.ts → p/a.ts']);
  expect(findFolderCycles(graph)).toEqual([
    'q: folders import each other: x → y (q/x/1.ts), y → x (q/y/3.ts)',
  ]);
});
