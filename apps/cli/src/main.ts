import { describeError } from './describe-error.ts';
import { note } from './terminal/output.ts';
import { ExitCode } from './exit-codes.ts';
import { putCommandFirst } from './put-command-first.ts';

const WORDS = putCommandFirst(process.argv.slice(2));

// `gleaner … | head` closes the pipe: further output has no reader.
process.stdout.on('error', (error) => {
  if ('code' in error && error.code === 'EPIPE') process.exit(0);
  throw error;
});

async function run(): Promise<void> {
  // A supervisor runs for as long as the service does, so it loads no command that it does not need.
  const load = WORDS[0] === 'start' ? await import('./start-program.ts') : await import('./program.ts');
  const program = await load.buildProgram(WORDS);
  await program.parseAsync(WORDS, { from: 'user' });
}

try {
  await run();
} catch (error) {
  if (error instanceof ExitCode) process.exitCode = error.code;
  else {
    const { text, code, body = { error: text } } = await describeError(error);
    note(WORDS.includes('--json') ? JSON.stringify(body) : `gleaner: ${text}`);
    process.exitCode = code;
  }
}
