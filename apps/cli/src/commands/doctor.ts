import type { Command } from 'commander';
import { addExamples } from '../examples.ts';
import { runDoctor } from '../doctor/run-doctor.ts';
import type { Finding } from '../doctor/finding.ts';
import { EXIT } from '../exit-codes.ts';
import { clean } from '../terminal/clean.ts';
import { print } from '../terminal/output.ts';

export function register(command: Command): void {
  command
    .option('--online', 'also resolve and connect to a public name')
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', '\nExits with 1 when there is a fault; warnings alone exit with 0.');
  addExamples(command, ['doctor', 'doctor --online --json']).action(
    async ({ online, json }: { online?: true; json?: true }) => {
      const findings = await runDoctor(process.env, { online: online === true });
      const isFaulty = findings.some(({ state }) => state === 'fault');
      const text =
        json === true ? JSON.stringify({ ok: !isFaulty, findings }) : findings.map(describe).join('\n');
      // A check that took too long may still wait for an answer; the process must not.
      print(text, () => process.exit(isFaulty ? EXIT.failed : 0));
    },
  );
}

function describe({ check, state, found, advice }: Finding): string {
  const line = `${state.padEnd(8)} ${check}: ${found}`;
  return clean(advice === undefined ? line : `${line}\n         → ${advice}`);
}
