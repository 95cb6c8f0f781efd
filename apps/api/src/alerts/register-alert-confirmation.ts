import { confirmAlert, type Services } from '@gleaner/core';
import type { FastifyInstance, FastifyReply } from 'fastify';

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const STYLE =
  ':root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:4rem auto;padding:0 1rem}';

/** The link of a mail holds an id and a token; another form of either is no link of ours. */
const PARTS = { alert: /^alr_[0-9a-z]{26}$/, token: /^[\w-]{43}$/ };

interface Link {
  alert: string;
  token: string;
}

function readLink(query: unknown): Link | undefined {
  const { alert, token } = query as Partial<Record<keyof Link, unknown>>;
  return typeof alert === 'string' &&
    PARTS.alert.test(alert) &&
    typeof token === 'string' &&
    PARTS.token.test(token)
    ? { alert, token }
    : undefined;
}

function answer(reply: FastifyReply, status: number, body: string) {
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .header('content-security-policy', POLICY)
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .send(`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Alerts of Gleaner</title><style>${STYLE}</style><main><h1>Alerts of Gleaner</h1>${body}</main></html>`);
}

const INVALID = '<p>This link is not valid: the alert was deleted, or its address was changed.</p>';

/**
 * The page that a mail links to. Opening it changes nothing, because programs that check mails open links: the button does.
 */
export async function registerAlertConfirmation(
  app: FastifyInstance,
  { db, config }: Pick<Services, 'db' | 'config'>,
): Promise<void> {
  await app.register((scope, _options, done) => {
    // A form without fields.
    scope.addContentTypeParser('application/x-www-form-urlencoded', (_request, _payload, parsed) =>
      parsed(null),
    );
    scope.get('/alerts/confirm', (request, reply) => {
      const link = readLink(request.query);
      if (link === undefined) return answer(reply, 404, INVALID);
      const action = `/alerts/confirm?alert=${link.alert}&amp;token=${link.token}`;
      return answer(
        reply,
        200,
        `<p>Somebody wants alerts of this installation to come to your e-mail address.</p>
<form method="post" action="${action}"><button>Receive these alerts</button></form>`,
      );
    });
    scope.post('/alerts/confirm', async (request, reply) => {
      const link = readLink(request.query);
      const isOurs =
        link !== undefined &&
        (await confirmAlert(db, config.secretKey, { id: link.alert, token: link.token }));
      return isOurs
        ? answer(reply, 200, '<p>The address is confirmed. Alerts come from now on.</p>')
        : answer(reply, 404, INVALID);
    });
    done();
  });
}
