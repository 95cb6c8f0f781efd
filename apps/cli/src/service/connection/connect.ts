import { createClient, type Client, type GleanerError } from '@gleaner/client';
import { Fault } from '../../fault.ts';
import { credentialsFile } from '../../start/data-files.ts';
import { note } from '../../terminal/output.ts';
import { readSettings } from './settings-file.ts';

const DEFAULT_URL = 'http://127.0.0.1:3000';
/** A shorter wait needs no word. */
const SILENT_MS = 1_000;

/** Options that every command of the service has. */
export interface ServiceFlags {
  service?: string;
  json?: boolean;
  /** False with `--no-wait`; a command may have a `--wait` of its own. */
  wait?: unknown;
}

/** Where the service is, and the key for it. */
interface Connection {
  url: string;
  apiKey: string | undefined;
  /** Where the key is from, in words. */
  keySource: string;
}

/** The address without a slash at its end. @throws Fault when it is not an http address */
function normalizeUrl(text: string): string {
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

function sayWait({ code, status }: GleanerError, delayMs: number): void {
  if (delayMs < SILENT_MS) return;
  const answer = status === 0 ? 'gives no answer' : `answers ${status} ${code}`;
  note(`The service ${answer}: trying again in ${Math.ceil(delayMs / 1000)} s (--no-wait does not wait).`);
}

/** A client of the service, with the key if there is one. With `--no-wait` it tries once. */
export function connectPublic({ service, wait }: ServiceFlags): Client {
  const { url, apiKey } = findConnection(service, process.env);
  return createClient({ baseUrl: url, apiKey, onWait: sayWait, ...(wait === false ? { retries: 0 } : {}) });
}

/** A client for commands that need a key. @throws Fault when there is none */
export function connect(flags: ServiceFlags): Client {
  const { url, apiKey } = findConnection(flags.service, process.env);
  if (apiKey === undefined) {
    throw new Fault(
      `There is no API key for ${url}.`,
      'Sign in with `gleaner login`, or set GLEANER_API_KEY.',
    );
  }
  return connectPublic(flags);
}
