import { clientNetwork, type Browser, type SessionKind } from '@gleaner/core';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The two cookies of the dashboard. */
const COOKIES: Readonly<Record<SessionKind, string>> = {
  account: 'gleaner_session',
  operator: 'gleaner_operator',
};

/**
 * The name of a cookie, with the port that the browser uses: a cookie counts for all ports of a host, and two
 * installations on one host must not end each other's sessions.
 */
function cookieName({ host }: FastifyRequest, kind: SessionKind): string {
  const port = /:(\d{1,5})$/.exec(host)?.[1];
  return port === undefined ? COOKIES[kind] : `${COOKIES[kind]}_${port}`;
}

const TOKEN = /^[\w-]{43}$/;

/** The token of a session's cookie; undefined when there is none or it can't be one. */
export function readSessionCookie(request: FastifyRequest, kind: SessionKind): string | undefined {
  const wanted = cookieName(request, kind);
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === wanted && value !== undefined && TOKEN.test(value)) return value;
  }
  return undefined;
}

function append(reply: FastifyReply, kind: SessionKind, value: string, maxAgeSeconds: number): void {
  const isSecure = reply.request.protocol === 'https';
  const parts = [
    `${cookieName(reply.request, kind)}=${value}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Strict',
    `Max-Age=${maxAgeSeconds}`,
    ...(isSecure ? ['Secure'] : []),
  ];
  reply.header('set-cookie', parts.join('; '));
}

/** The browser of a request. Scripts can't read its cookies, and it sends them only with requests of this site. */
export function browserOf(request: FastifyRequest, reply: FastifyReply): Browser {
  return {
    network: clientNetwork(request.ip),
    readSession: (kind) => readSessionCookie(request, kind),
    setSession: (kind, { token, maxAgeSeconds }) => append(reply, kind, token, maxAgeSeconds),
    clearSession: (kind) => append(reply, kind, '', 0),
  };
}
