import { AppError } from '@gleaner/contracts';

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

function refuse(detail: string): AppError {
  return new AppError('invalid_request', { field: 'connection_url', detail });
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
  if (/\0/.test(user + password + database)) throw refuse('must not contain NUL');
  return {
    host: host.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? 5432 : Number(url.port),
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
