import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { createClient } from '@gleaner/client';
import { Fault } from '../../fault.ts';
import type { Command } from 'commander';
import { note, plural, printFields, printJson } from '../../terminal/output.ts';
import { GROUPS } from '../records/records.ts';
import { connect, findConnection, type ServiceFlags } from './connect.ts';
import { serviceCommand } from './service-command.ts';
import { readSettings, settingsPath, writeSettings } from './settings-file.ts';

export function registerAccount(program: Command): void {
  serviceCommand(
    program,
    'login',
    'save the address of a service and your API key for it; asks for the key, or reads it from standard input',
    ['login --service https://gleaner.example', 'login --service http://127.0.0.1:3000 < key.txt'],
  ).action(login);
  serviceCommand(program, 'logout', 'forget the API key of a service', ['logout']).action(logout);
  serviceCommand(program, 'credits', GROUPS.credits.about, ['credits', 'credits ledger --limit 50']).action(
    showCredits,
  );
}

/** Prompts for a line and doesn't echo it. */
async function askSecret(question: string): Promise<string> {
  const { stdin, stderr } = process;
  const lines = createInterface({ input: stdin, terminal: true });
  stderr.write(question);
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve);
      lines.once('SIGINT', () => reject(new Fault('No key was given.')));
      lines.once('close', () => reject(new Fault('No key was given.')));
    });
  } finally {
    lines.close();
    stderr.write('\n');
  }
}

function isLocal(url: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);
}

async function login(flags: ServiceFlags): Promise<void> {
  const { url } = findConnection(flags.service, process.env);
  const given = process.stdin.isTTY ? await askSecret(`API key for ${url}: `) : await text(process.stdin);
  const apiKey = given.trim();
  if (!/^\S+$/.test(apiKey))
    throw new Fault('No key was given.', 'A key reads gln_…; pipe it in, or type it.');
  const { creditBalance } = await createClient({ baseUrl: url, apiKey }).credits.get();
  const settings = readSettings(process.env);
  const path = writeSettings(process.env, { url, keys: { ...settings.keys, [url]: apiKey } });
  if (flags.json === true) printJson({ url, creditBalance, config: path });
  else note(`Signed in to ${url}: ${plural(creditBalance, 'credit')}. The key is in ${path}.`);
  if (url.startsWith('http:') && !isLocal(url)) {
    note('The key travels to this address without encryption: use https.');
  }
}

function logout(flags: ServiceFlags): void {
  const { url } = findConnection(flags.service, process.env);
  const settings = readSettings(process.env);
  if (settings.keys[url] === undefined) {
    throw new Fault(`${settingsPath(process.env)} has no key for ${url}.`);
  }
  const { [url]: _, ...keys } = settings.keys;
  writeSettings(process.env, {
    ...(settings.url === undefined || settings.url === url ? {} : { url: settings.url }),
    keys,
  });
  note(`The key for ${url} was removed from this machine. It stays valid until it is revoked.`);
}

async function showCredits(flags: ServiceFlags): Promise<void> {
  const { url, keySource } = findConnection(flags.service, process.env);
  const credits = await connect(flags).credits.get();
  if (flags.json === true) return printJson(credits);
  printFields({
    credits: credits.creditBalance,
    concurrency: credits.concurrency,
    service: url,
    key: keySource,
  });
}
