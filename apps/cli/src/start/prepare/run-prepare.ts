import { spawn } from 'node:child_process';
import { Fault } from '../../fault.ts';
import { entryFile } from '../entry-file.ts';
import { prepareAnswerSchema, type Prepared, type PrepareInput } from './protocol.ts';

/** A separate process that prepares the database. It loads its code while the database starts. */
export interface PrepareProcess {
  /** @throws Fault when the database can't be used */
  run: (input: PrepareInput) => Promise<Prepared>;
  stop: () => void;
}

export function startPrepare(): PrepareProcess {
  const child = spawn(process.execPath, [entryFile('prepare')], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const answered = new Promise<unknown>((resolve, reject) => {
    child.once('message', resolve);
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      reject(new Error(`the process that prepares the database ended (${signal ?? code})`)),
    );
  });
  // Its end before `run` is reported by `run`.
  answered.catch(() => undefined);
  return {
    run: async (input) => {
      const failed = new Promise<never>((_resolve, reject) => {
        child.send(input, (error) => {
          if (error) reject(error);
        });
      });
      return readAnswer(await Promise.race([answered, failed]));
    },
    stop: () => void child.kill(),
  };
}

function readAnswer(message: unknown): Prepared {
  const answer = prepareAnswerSchema.parse(message);
  if ('fault' in answer) throw new Fault(answer.fault);
  if ('bug' in answer) throw new Error(answer.bug);
  return answer.prepared;
}
