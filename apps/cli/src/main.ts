import { EXIT } from './exit-codes.ts';
import { putCommandFirst } from './put-command-first.ts';
import { runWords } from './run-words.ts';

// `gleaner … | head` closes the pipe: further output has no reader.
process.stdout.on('error', (error) => {
  if ('code' in error && error.code === 'EPIPE') process.exit(0);
  throw error;
});

await runWords(putCommandFirst(process.argv.slice(2)));
// Node removes its handlers before a natural end: a signal that arrives then would kill the process, without a code.
if (process.exitCode === EXIT.interrupted) process.exit();
