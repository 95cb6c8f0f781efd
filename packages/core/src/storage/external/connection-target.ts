import { invalid } from '../../platform/invalid-request.ts';
import type { AppError } from '@gleaner/contracts';

export interface ConnectionTarget {
  host: string;
  port: number;
  database: string;
  user: string;
  password: string;
  /** The modes of libpq: prefer and allow fall back to plain text, require doesn't check the certificate. */
  sslMode: 'disable' | 'allow' | 'prefer' | 'require' | 'verify-ca' | 'verify-full';
}

const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;

/**
 * Ports of other protocols, where a server could take the first message for commands: the bad ports of the fetch
 * standard, Redis and memcached (https://fetch.spec.whatwg.org/#port-blocking).
 */
const FOREIGN_PORTS = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, 11211,
]);

function refuse(detail: string): AppError {
  return invalid('connection_url', detail);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refuse('a % in the URL must be written %25');
  }
}

/**
 * Parses a connection URL strictly: one host, no sockets, no parameter except sslmode, so that it can't bypass the egress
 * guard.
 * @throws AppError invalid_request with field connection_url, without the password in its text
 */
export function readConnectionUrl(text: string): ConnectionTarget {
  if (!URL.canParse(text)) throw refuse('not a URL like postgres://user:password@host:5432/database');
  const url = new URL(text);
  if (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:')
    throw refuse('must start with postgres:// or postgresql://');
  const host = decode(url.hostname).toLowerCase();
  if (host === '' || !/^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)$/.test(host)) throw refuse('must name one host');
  const database = decode(url.pathname.slice(1));
  if (database === '' || database.includes('/')) throw refuse('must name a database: …@host:5432/database');
  if (url.username === '') throw refuse('must name a user');
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'sslmode');
  if (unknown !== undefined) throw refuse(`the parameter ${unknown} is not supported; only sslmode is`);
  const asked = url.searchParams.get('sslmode') ?? 'prefer';
  const sslMode = SSL_MODES.find((mode) => mode === asked);
  if (sslMode === undefined) throw refuse(`sslmode must be one of ${SSL_MODES.join(', ')}`);
  const [user, password] = [decode(url.username), decode(url.password)];
  if (/\p{Cc}/u.test(user + password + database)) throw refuse('must not contain control characters');
  const port = url.port === '' ? 5432 : Number(url.port);
  if (FOREIGN_PORTS.has(port)) throw refuse(`port ${port} belongs to another protocol`);
  return {
    host: host.replace(/^\[|\]$/g, ''),
    port,
    database,
    user,
    password,
    sslMode,
  };
}

/** The part of a connection URL that clients may see. */
export function showTarget({ host, port, database }: ConnectionTarget): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}/${database}`;
}
