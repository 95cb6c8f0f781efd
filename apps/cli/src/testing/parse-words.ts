import { CommanderError, type Command } from 'commander';
import { buildProgram } from '../program.ts';

const programs = new Map<string, Promise<Command>>();

/** Lets a program parse without doing anything, or writing anything. */
function disarm(command: Command): void {
  command.exitOverride().configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
  if (command.commands.length === 0 || command.name() === 'credits') command.action(() => undefined);
  for (const child of command.commands) disarm(child);
}

/** Splits a command line as a shell does, up to where its output or input goes. */
export function wordsOf(line: string): string[] {
  const words = line.match(/(?:\$\([^)]*\)|'[^']*'|[^\s'])+/g) ?? [];
  const end = words.findIndex((word) => /^[<>|#&]/.test(word));
  return words.slice(0, end === -1 ? words.length : end).map((word) => word.replaceAll("'", ''));
}

/** Calls of `gleaner` in a line, as words. */
export function callsIn(line: string): string[][] {
  return line
    .split(/\| |&& |<\(/)
    .map((part) => wordsOf(part.trim().replace(/\)$/, '')))
    .filter(([first]) => first === 'gleaner')
    .map(([, ...words]) => words);
}

/** The command of these words with its options; undefined when there is none. */
export async function findCommand(path: string): Promise<Command | undefined> {
  const words = path.split(' ').filter((word) => word !== '');
  let command: Command | undefined = await buildProgram(words);
  for (const word of words) command = command?.commands.find((child) => child.name() === word);
  return command;
}

/** Why the command line refuses words; undefined when it takes them, or prints a help. */
export async function faultOf(words: readonly string[]): Promise<string | undefined> {
  const key = words
    .slice(0, 3)
    .filter((word) => /^[a-z-]+$/.test(word))
    .join(' ');
  const made = programs.get(key) ?? buildProgram(words);
  programs.set(key, made);
  const program = await made;
  disarm(program);
  try {
    await program.parseAsync(words, { from: 'user' });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return /^commander\.(help|helpDisplayed|version)$/.test(error.code) ? undefined : error.message;
  }
}
