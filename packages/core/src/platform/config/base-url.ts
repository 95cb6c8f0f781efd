import type { Config } from './load-config.ts';

/** The address of the service, without a slash at its end. */
export function baseUrlOf({ publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>): string {
  return (publicUrl ?? `http://${host}:${port}`).replace(/\/$/, '');
}
