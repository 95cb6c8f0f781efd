import { invalid } from '../../platform/invalid-request.ts';
import { AppError } from '@gleaner/contracts';
import { tables, type Database } from '@gleaner/db';
import { and, desc, eq } from 'drizzle-orm';
import { createId } from '../../platform/ids.ts';
import type { Actor } from '../keys/key-ring.ts';

const { accounts, oauthSubjects } = tables;

/** Who an access token speaks for. A subject is unique within its issuer only. */
export interface OauthSubject {
  issuer: string;
  subject: string;
}

export type OauthSubjectRecord = ReturnType<typeof toRecord>;

/** Longer subjects are refused in tokens too. */
export const MAX_SUBJECT_CHARACTERS = 255;

/**
 * Refuses a subject or issuer that no token can have. Both are compared exactly, so that a space, or a line break
 * that was copied with them, would make a link that never opens anything.
 * @throws AppError invalid_request
 */
function requireLinkable({ issuer, subject }: OauthSubject): void {
  if (!/^https?:\/\/\S+$/.test(issuer) || !URL.canParse(issuer)) {
    throw invalid(
      'issuer',
      `${JSON.stringify(issuer)} must be a URL starting with http:// or https://, exactly as in the tokens' iss`,
    );
  }
  const isTooLong = subject.length > MAX_SUBJECT_CHARACTERS;
  if (subject === '' || isTooLong || subject !== subject.trim() || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(subject))
    throw invalid(
      'subject',
      `must have 1 to ${MAX_SUBJECT_CHARACTERS} characters, without line breaks, control characters, and spaces at its ends`,
      "Pass the subject exactly as in the tokens' sub.",
    );
}

function toRecord({ id, accountId, issuer, subject, createdAt }: typeof oauthSubjects.$inferSelect) {
  return { id, account_id: accountId, issuer, subject, created_at: createdAt };
}

function isSubject({ issuer, subject }: OauthSubject) {
  return and(eq(oauthSubjects.issuer, issuer), eq(oauthSubjects.subject, subject));
}

/**
 * Lets tokens of a subject open an account. An account may have several subjects; a subject has one account.
 * @throws AppError invalid_request; name_taken when the subject is linked already
 */
export async function linkSubject(
  db: Database,
  link: OauthSubject & { accountId: string },
): Promise<OauthSubjectRecord> {
  requireLinkable(link);
  const [row] = await db.orm
    .insert(oauthSubjects)
    .values({ id: createId('oauthSubject'), ...link })
    .onConflictDoNothing()
    .returning();
  if (row) return toRecord(row);
  const [linked] = await db.orm
    .select({ accountId: oauthSubjects.accountId })
    .from(oauthSubjects)
    .where(isSubject(link));
  throw new AppError('name_taken', {
    field: 'subject',
    detail: `${link.subject} of ${link.issuer} is linked to ${linked?.accountId ?? 'an account'} already`,
    hint: 'To link it to another account, unlink it first.',
  });
}

/** Takes effect with the subject's next request. @throws AppError not_found */
export async function unlinkSubject(db: Database, link: OauthSubject): Promise<OauthSubjectRecord> {
  const [row] = await db.orm.delete(oauthSubjects).where(isSubject(link)).returning();
  if (!row)
    throw new AppError('not_found', {
      detail: `${link.subject} of ${link.issuer} is not linked`,
      hint: '`gleaner oauth list` shows the linked subjects and their issuers.',
    });
  return toRecord(row);
}

/** All subjects, newest first. */
export async function listSubjects(db: Database): Promise<OauthSubjectRecord[]> {
  const rows = await db.orm.select().from(oauthSubjects).orderBy(desc(oauthSubjects.createdAt));
  return rows.map(toRecord);
}

/**
 * The account of a verified subject. Its requests are limited per subject, like those of a key.
 * @throws AppError unlinked_subject, also when the account is not active
 */
export async function findSubjectActor(db: Database, link: OauthSubject): Promise<Actor> {
  const [row] = await db.orm
    .select({
      keyId: oauthSubjects.id,
      accountId: accounts.id,
      requestsPerMinute: accounts.requestsPerMinute,
    })
    .from(oauthSubjects)
    .innerJoin(accounts, eq(accounts.id, oauthSubjects.accountId))
    .where(and(isSubject(link), eq(accounts.isActive, true)));
  if (!row)
    throw new AppError('unlinked_subject', {
      detail: `no active account is linked to the subject ${JSON.stringify(link.subject)}`,
    });
  return row;
}
