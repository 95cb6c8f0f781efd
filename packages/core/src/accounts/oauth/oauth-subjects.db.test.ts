import { AppError } from '@gleaner/contracts';
import { createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAccount } from '../change-accounts.ts';
import { linkSubject, listSubjects } from './oauth-subjects.ts';

let database: TestDatabase;
let accountId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  ({
    account: { id: accountId },
  } = await createAccount(database.db, { name: 'acme', credits: 0 }));
});
afterAll(() => database.close());

async function faultOf(link: { issuer?: string; subject?: string }): Promise<unknown> {
  const whole = { accountId, issuer: 'https://id.example', subject: 'sub', ...link };
  const error: unknown = await linkSubject(database.db, whole).catch((fault: unknown) => fault);
  return error instanceof AppError ? error.toBody() : error;
}

it.each(['', ' sub', 'sub ', 'sub\n', 'a\nb', 'a\u2028b', 's'.repeat(256)])(
  'the subject %j is refused, because no token can have it',
  async (subject) => {
    expect(await faultOf({ subject })).toMatchObject({
      error: 'invalid request',
      field: 'subject',
      detail: expect.stringContaining('must have 1 to 255 characters'),
    });
  },
);

it.each(['', 'id.example', 'ftp://id.example', 'https://id.example/ ', 'https://', 'https://id example/'])(
  'the issuer %j is refused, because it is not the address of an issuer',
  async (issuer) => {
    expect(await faultOf({ issuer })).toMatchObject({
      field: 'issuer',
      detail: expect.stringContaining(`${JSON.stringify(issuer)} must be a URL starting with`),
    });
  },
);

it('names the account to which a subject is linked already', async () => {
  const link = { accountId, issuer: 'http://127.0.0.1:9/realms/a', subject: 's'.repeat(255) };
  await linkSubject(database.db, link);
  expect(await faultOf(link)).toMatchObject({
    error: 'name taken',
    detail: expect.stringContaining(`is linked to ${accountId} already`),
  });
  expect(await listSubjects(database.db)).toMatchObject(
    [link].map(({ subject, issuer }) => ({ subject, issuer })),
  );
});
