import type { Change } from '@gleaner/client';
import type { Command } from 'commander';
import { Fault } from '../../fault.ts';
import { untilInterrupted } from '../../terminal/interrupt.ts';
import { note, print } from '../../terminal/output.ts';
import { connect, type ServiceFlags } from '../connection/connect.ts';
import { findId } from '../connection/find-id.ts';
import { serviceCommand } from '../connection/service-command.ts';

interface Flags extends ServiceFlags {
  after?: string;
  kinds?: string;
  follow?: boolean;
  newest?: string;
}

/** A change in one line: `changed {"sku":"A-1"} price: 49.9 → 42`. */
function tell({ kind, key, at, before = {}, after = {} }: Change): string {
  const values = Object.entries(after).map(
    ([name, value]) => `${name}: ${JSON.stringify(before[name] ?? null)} → ${JSON.stringify(value)}`,
  );
  return [at, kind.padEnd(8), JSON.stringify(key), values.join(', ')].join('  ').trimEnd();
}

async function showChanges(place: string, flags: Flags): Promise<void> {
  const { after, kinds, follow, newest, json } = flags;
  const dot = place.indexOf('.');
  const [database, table] = [place.slice(0, dot), place.slice(dot + 1)];
  if (dot < 1 || table === '')
    throw new Fault(`${JSON.stringify(place)} names no table.`, 'Give it as database.table.');
  const client = connect(flags);
  const id = await findId(client, 'databases', database);
  const isForPrograms = json === true || !process.stdout.isTTY;
  const show = (change: Change): void => print(isForPrograms ? JSON.stringify(change) : tell(change));
  if (newest !== undefined) {
    if (!/^\d+$/.test(newest))
      throw new Fault(`--newest ${newest} is no number.`, 'Give how many: --newest 20.');
    const query = { before: 'now', limit: Number(newest), ...(kinds === undefined ? {} : { kinds }) };
    const { changes } = await client.call('getChanges', { params: { id, table }, query });
    changes.forEach(show);
    return;
  }
  await untilInterrupted('Stopped.', async (signal) => {
    const changes = client.table(id, table).changes(
      {
        ...(after === undefined ? {} : { after }),
        ...(kinds === undefined ? {} : { kinds }),
        follow: follow === true,
      },
      { signal },
    );
    for await (const change of changes) show(change);
    if (changes.cursor !== undefined) note(`Go on with --after ${changes.cursor}`);
  });
}

export function registerChanges(program: Command): void {
  serviceCommand(program, 'changes', 'what changed in a table with history, oldest first; a line each', [
    'changes shop.products',
    'changes shop.products --newest 20',
    'changes shop.products --after now --follow --kinds new,removed',
  ])
    .argument('<database.table>', 'id, slug or name of the database, and the table')
    .option('--after <cursor>', 'begin after this cursor; now: at the end')
    .option('--kinds <kinds>', 'only these, with commas between them: new, changed, removed, returned')
    .option('--newest <n>', 'the last n instead, newest first')
    .option('-f, --follow', 'wait for further changes, until Ctrl-C')
    .action(showChanges);
}
