import { linkSubject, listSubjects, unlinkSubject, type OauthSubjectRecord } from '@gleaner/core';
import { Fault } from '../fault.ts';
import type { Command } from 'commander';
import { addExamples } from '../examples.ts';
import { readConfig } from '../read-config.ts';
import { note, print } from '../terminal/output.ts';
import { formatTable } from '../terminal/table.ts';
import { findAccountId, withDatabase } from './with-database.ts';

interface LinkOptions {
  issuer?: string;
  json?: boolean;
}

export function register(oauth: Command): void {
  withIssuer(
    oauth
      .command('link')
      .description('let tokens of a subject open an account')
      .argument('<account>', 'identifier or name')
      .argument('<subject>', 'the `sub` of its tokens'),
    ["oauth link acme 'auth0|5f7c'", 'oauth link acme jane --issuer https://id.example/'],
  ).action(link);
  withIssuer(
    oauth
      .command('unlink')
      .description('refuse tokens of a subject, from its next request')
      .argument('<subject>', 'the `sub` of its tokens'),
    ["oauth unlink 'auth0|5f7c'"],
  ).action(unlink);
  addExamples(
    oauth
      .command('list')
      .description('linked subjects, newest first')
      .option('--json', 'print {"subjects"} as JSON'),
    ['oauth list'],
  ).action(list);
}

function withIssuer(command: Command, examples: readonly string[]): Command {
  command
    .option('--issuer <url>', 'the `iss` of its tokens (GLEANER_OAUTH_ISSUER)')
    .option('--json', 'print {"subject"} as JSON');
  return addExamples(command, examples);
}

function issuerOf({ issuer }: LinkOptions): string {
  const { oauthIssuer } = readConfig(process.env);
  if (issuer !== undefined && oauthIssuer !== undefined && issuer !== oauthIssuer)
    note(`GLEANER_OAUTH_ISSUER is ${oauthIssuer}: a service with this setting refuses tokens of ${issuer}.`);
  const found = issuer ?? oauthIssuer;
  if (found !== undefined) return found;
  throw new Fault(
    'No issuer is configured.',
    'Set GLEANER_OAUTH_ISSUER as for the service, or pass --issuer.',
  );
}

async function link(account: string, subject: string, options: LinkOptions): Promise<void> {
  const issuer = issuerOf(options);
  const record = await withDatabase(async (db) =>
    linkSubject(db, { accountId: await findAccountId(db, account), issuer, subject }),
  );
  show(record, options);
}

async function unlink(subject: string, options: LinkOptions): Promise<void> {
  const issuer = issuerOf(options);
  show(await withDatabase((db) => unlinkSubject(db, { issuer, subject })), options);
}

async function list(options: { json?: boolean }): Promise<void> {
  const subjects = await withDatabase(listSubjects);
  print(options.json === true ? JSON.stringify({ subjects }) : formatTable(subjects.map(summary)));
}

function show(subject: OauthSubjectRecord, { json }: LinkOptions): void {
  print(json === true ? JSON.stringify({ subject }) : formatTable([summary(subject)]));
}

function summary({ account_id, issuer, subject, created_at }: OauthSubjectRecord): Record<string, unknown> {
  return { subject, account: account_id, issuer, created: created_at };
}
