import { spawn } from 'node:child_process';
import { Fault } from '../../fault.ts';
import { entryFile } from '../entry-file.ts';
import type { PrepareAnswer } from './main.ts';
import type { Prepared, PrepareInput } from './prepare-database.ts';

/** Starts the process that prepares the database. It loads its code while the database starts. */
export function startPrepare() {
  const child = spawn(process.execPath, [entryFile('prepare')], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const answered = new Promise<PrepareAnswer>((resolve, reject) => {
    child.once('message', (message) => resolve(message as PrepareAnswer));
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      reject(new Error(`the process that prepares the database ended (${signal ?? code})`)),
    );
  });
  // Its end before `run` is reported by `run`.
  answered.catch(() => undefined);
  return {
    /** @throws Fault when the database can't be used */
    run: async (input: PrepareInput): Promise<Prepared> => {
      const failed = new Promise<never>((_resolve, reject) => {
        child.send(input, (error) => {
          if (error) reject(error);
        });
      });
      const answer = await Promise.race([answered, failed]);
      if ('fault' in answer) throw new Fault(answer.fault);
      if ('bug' in answer) throw new Error(answer.bug);
      return answer.prepared;
    },
    stop: (): void => void child.kill(),
  };
}
