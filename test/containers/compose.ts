import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

export interface Containers {
  /** Runs a command of Docker Compose on the project's file. @returns its standard output */
  compose: (...words: string[]) => string;
  docker: (...words: string[]) => string;
  /** The containers of a service that run. */
  idsOf: (service: string) => string[];
}

const FILES = ['docker-compose.yml', 'test/containers/site.yml'].flatMap((file) => ['--file', file]);

export function openContainers(): Containers {
  const run = (command: readonly string[]): string => {
    const [file = '', ...words] = command;
    const answer = spawnSync(file, words, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
    if (answer.status === 0) return answer.stdout;
    throw new Error(`${command.join(' ')} failed:\n${answer.stderr || String(answer.error)}`);
  };
  // The plugin, else the program of its own that some distributions ship.
  const hasPlugin = spawnSync('docker', ['compose', 'version']).status === 0;
  const compose = (...words: string[]): string =>
    run([...(hasPlugin ? ['docker', 'compose'] : ['docker-compose']), ...FILES, ...words]);
  return {
    compose,
    docker: (...words) => run(['docker', ...words]),
    idsOf: (service) => compose('ps', '--quiet', service).split('\n').filter(Boolean),
  };
}
