import { spawn } from 'node:child_process';
import { Fault } from '@gleaner/embedded-postgres/fault';
import { entryFile } from '../entry-file.ts';
import { prepareAnswerSchema, type Prepared, type PrepareInput } from './protocol.ts';

/**
 * Prepares the database in a separate process.
 * @throws Fault when the database can't be used
 */
export async function runPrepare(input: PrepareInput): Promise<Prepared> {
  const child = spawn(process.execPath, [entryFile('prepare')], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const message = await new Promise<unknown>((resolve, reject) => {
    child.once('message', resolve);
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      reject(new Error(`the process that prepares the database ended (${signal ?? code})`)),
    );
    child.send(input, (error) => {
      if (error) reject(error);
    });
  });
  const answer = prepareAnswerSchema.parse(message);
  if ('fault' in answer) throw new Fault(answer.fault);
  if ('bug' in answer) throw new Error(answer.bug);
  return answer.prepared;
}
