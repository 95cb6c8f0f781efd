import { ConfigError, loadConfig, type Config } from '@gleaner/core';
import { Fault } from '@gleaner/embedded-postgres/fault';

/** The configuration that the environment gives. @throws Fault that lists every wrong variable */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  try {
    return loadConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new Fault(
      ['Wrong configuration:', ...error.faults.map((fault) => `  ${fault}`)].join('\n'),
      'Mend or unset these environment variables; README.md lists them all.',
    );
  }
}
