import { ConfigError, loadConfig, type Config } from '@gleaner/core/config';
import { Fault } from './fault.ts';

/** Reads the configuration from the environment. @throws Fault that lists all invalid variables */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  try {
    return loadConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new Fault(
      ['Wrong configuration:', ...error.faults.map((fault) => `  ${fault}`)].join('\n'),
      'Correct or unset these environment variables; docs/operate/configuration.md lists all of them.',
    );
  }
}
