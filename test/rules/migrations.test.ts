import { readMigrations } from '../../packages/db/src/migrations.ts';
import { expect, it } from 'vitest';

/** Migrations before this one ran without earlier processes beside them. */
const FIRST_SIDE_BY_SIDE = '0030';

/** What makes processes of the version before fail, or locks a large table for long. */
const BREAKING: readonly [RegExp, string][] = [
  [/\bDROP\s+(COLUMN|TABLE|CONSTRAINT)\b/i, 'drops what earlier processes may use'],
  [/\bRENAME\b/i, 'renames what earlier processes use'],
  [/\bALTER\s+COLUMN\s+\S+\s+(SET\s+DATA\s+)?TYPE\b/i, 'changes a type, which rewrites the table'],
  [/\bSET\s+NOT\s+NULL\b/i, 'refuses rows of earlier processes, and reads the whole table'],
  [/\bADD\s+COLUMN\b[^,;]*\bNOT\s+NULL\b(?![^,;]*\bDEFAULT\b)/i, 'refuses rows of earlier processes'],
  [/\bSET\s+(UN)?LOGGED\b/i, 'rewrites the table'],
];
const CONTRACT = /^\s*-- contract: \S/m;
const INDEX = /\bCREATE\s+(?:UNIQUE\s+)?INDEX\s+(?!CONCURRENTLY)\S+\s+ON\s+(\S+)/i;

/** Why earlier processes could not work beside a migration. */
function findBreaks(statements: readonly string[]): string[] {
  const created = new Set<string>();
  return statements.flatMap((statement) => {
    const [, table] = /\bCREATE\s+(?:UNLOGGED\s+)?TABLE\s+(\S+)/i.exec(statement) ?? [];
    if (table !== undefined) created.add(table);
    if (CONTRACT.test(statement)) return [];
    const code = statement.replaceAll(/--.*$/gm, '');
    const breaks = BREAKING.filter(([pattern]) => pattern.test(code)).map(([, why]) => why);
    const indexed = INDEX.exec(code)?.[1];
    if (indexed !== undefined && !created.has(indexed))
      breaks.push('its index is not concurrent, and the table exists');
    return breaks.map((why) => `${code.trim().split('\n')[0]}: ${why}`);
  });
}

it.each(readMigrations().filter(({ tag }) => tag >= FIRST_SIDE_BY_SIDE))(
  'processes of the version before work beside migration $tag',
  ({ statements }) => {
    expect(findBreaks(statements)).toEqual([]);
  },
);

it('the check finds what breaks earlier processes', () => {
  const broken = [
    'ALTER TABLE gleaner.runs DROP COLUMN name',
    'ALTER TABLE gleaner.runs RENAME COLUMN name TO title',
    'ALTER TABLE gleaner.runs ALTER COLUMN name TYPE varchar(10)',
    'ALTER TABLE gleaner.runs ALTER COLUMN name SET NOT NULL',
    'ALTER TABLE gleaner.runs ADD COLUMN flag boolean NOT NULL',
    'CREATE INDEX a ON gleaner.runs (name)',
  ];
  expect(broken.filter((statement) => findBreaks([statement]).length !== 1)).toEqual([]);
  const sound = [
    'ALTER TABLE gleaner.runs ADD COLUMN flag boolean NOT NULL DEFAULT false',
    'CREATE INDEX CONCURRENTLY a ON gleaner.runs (name)',
    '-- contract: unused since 0.3.0\nALTER TABLE gleaner.runs DROP COLUMN name',
  ];
  expect(findBreaks(sound)).toEqual([]);
  expect(findBreaks(['CREATE TABLE gleaner.a (b int)', 'CREATE INDEX c ON gleaner.a (b)'])).toEqual([]);
});
