import { createClient, type Client } from '@gleaner/client';
import { Fault } from '../fault.ts';
import { credentialsFile } from '../start/credentials-file.ts';
import { readSettings } from './settings-file.ts';

const DEFAULT_URL = 'http://127.0.0.1:3000';

/** Where the service is, and the key for it. */
export interface Connection {
  url: string;
  apiKey: string | undefined;
  /** Where the key is from, in words. */
  keySource: string;
}

/** The address without a slash at its end. @throws Fault when it is not an http address */
export function normalizeUrl(text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw new Fault(
      `${JSON.stringify(text)} is not the address of a service.`,
      'Give it as http://… or https://…',
    );
  }
  return text.replace(/\/+$/, '');
}

function isSame(a: string, b: string): boolean {
  return URL.canParse(a) && URL.canParse(b) && new URL(a).origin === new URL(b).origin;
}

/**
 * Finds the service: `--service`, GLEANER_URL, the last `gleaner login`, then the service that runs on this machine. A key
 * is sent only to its own service: that of GLEANER_API_KEY is GLEANER_URL, and any when that is not set.
 */
export function findConnection(service: string | undefined, env: NodeJS.ProcessEnv): Connection {
  const settings = readSettings(env);
  const local = credentialsFile.read(env['GLEANER_DATA_DIR'] ?? '.gleaner');
  const ofEnvironment = env['GLEANER_URL'] || undefined;
  const url = normalizeUrl(service || ofEnvironment || settings.url || local?.base_url || DEFAULT_URL);
  const own = env['GLEANER_API_KEY'];
  const isOwn = ofEnvironment === undefined || isSame(ofEnvironment, url);
  if (own !== undefined && own !== '' && isOwn) return { url, apiKey: own, keySource: 'GLEANER_API_KEY' };
  const saved = settings.keys[url];
  if (saved !== undefined) return { url, apiKey: saved, keySource: 'gleaner login' };
  if (local && isSame(local.base_url, url)) {
    return { url, apiKey: local.api_key, keySource: 'credentials.json of the data folder' };
  }
  return { url, apiKey: undefined, keySource: 'nowhere' };
}

/** A client for commands that need a key. @throws Fault when there is none */
export function connect(flags: { service?: string }): Client {
  const { url, apiKey } = findConnection(flags.service, process.env);
  if (apiKey === undefined) {
    throw new Fault(
      `There is no API key for ${url}.`,
      'Sign in with `gleaner login`, or set GLEANER_API_KEY.',
    );
  }
  return createClient({ baseUrl: url, apiKey });
}
