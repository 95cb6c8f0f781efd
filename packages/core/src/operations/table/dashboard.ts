import * as operations from '@gleaner/contracts';
import { createAccount } from '../../accounts/create-account.ts';
import { findAccounts } from '../../accounts/find-accounts.ts';
import {
  createAccountKey,
  deleteAccountKey,
  getAccountKey,
  listAccountKeys,
  updateAccountKey,
} from '../../accounts/keys/account-keys.ts';
import {
  getSession,
  signIn,
  signInOperator,
  signOut,
  signOutOperator,
} from '../../accounts/sessions/dashboard-session.ts';
import { updateAccount } from '../../accounts/update-account.ts';
import { readOperatorView } from '../../platform/readiness/operator-view.ts';
import { pair } from '../pair.ts';

/** What only the dashboard's sessions may call. */
export const dashboardEntries = [
  pair(operations.signIn, signIn),
  pair(operations.getSession, getSession),
  pair(operations.signOut, signOut),
  pair(operations.signInOperator, signInOperator),
  pair(operations.signOutOperator, signOutOperator),
  pair(operations.listKeys, listAccountKeys),
  pair(operations.createKey, createAccountKey),
  pair(operations.getKey, getAccountKey),
  pair(operations.updateKey, updateAccountKey),
  pair(operations.deleteKey, deleteAccountKey),
  pair(operations.getSystemHealth, ({ services }) => readOperatorView(services)),
  pair(operations.listAccounts, findAccounts),
  pair(operations.createAccount, ({ services }, { body }) => createAccount(services.db, body)),
  pair(operations.updateAccount, async ({ services }, { params, body }) => ({
    account: await updateAccount(services.db, { ...body, account: params.id }),
  })),
];
