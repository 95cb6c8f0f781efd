import { describeError } from './describe-error.ts';
import { ExitCode } from './exit-codes.ts';
import { note } from './terminal/output.ts';

/**
 * Runs a command, says on standard error what went wrong, and sets the exit code of the process.
 * @param words the arguments of the command line, the command first
 */
export async function runWords(words: readonly string[]): Promise<void> {
  try {
    // A supervisor runs for as long as the service does, so it loads no command that it does not need.
    const load = words[0] === 'start' ? await import('./start-program.ts') : await import('./program.ts');
    const program = await load.buildProgram(words);
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (error instanceof ExitCode) process.exitCode = error.code;
    else {
      const { text, code, body = { error: text } } = await describeError(error);
      note(words.includes('--json') ? JSON.stringify(body) : `gleaner: ${text}`);
      process.exitCode = code;
    }
  }
}
