import { AppError, cutText } from '@gleaner/contracts';
import type { SendMail } from '@gleaner/core';
import { createTransport } from 'nodemailer';

/** The sender of deliveries gives up earlier; these end what it left. */
const CONNECT_MS = 8_000;
const SILENCE_MS = 12_000;

/**
 * Sends mails through the operator's mail server, each over a connection of its own.
 * @param smtpUrl with the user and password, if the server wants them
 */
export function sendMail(smtpUrl: string, from = `gleaner@${new URL(smtpUrl).hostname}`): SendMail {
  return async ({ to, subject, text }, signal) => {
    const transport = createTransport({
      url: smtpUrl,
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
      // A mail has no attachments: nothing may name a file or an address to read.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    const stop = (): void => transport.close();
    signal.addEventListener('abort', stop);
    try {
      const headers = { 'Auto-Submitted': 'auto-generated' };
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text, headers });
    } catch (error) {
      const reason = error instanceof Error ? cutText(error.message, 300) : 'unknown';
      throw new AppError('temporarily_unavailable', { detail: `the mail server did not take it: ${reason}` });
    } finally {
      signal.removeEventListener('abort', stop);
      transport.close();
    }
  };
}
