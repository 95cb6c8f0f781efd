import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import {
  checkServerIdentity,
  connect as connectTls,
  type ConnectionOptions,
  type PeerCertificate,
} from 'node:tls';
import type { ConnectionTarget } from './connection-target.ts';

const CONNECT_TIMEOUT_MS = 10_000;
/** https://www.postgresql.org/docs/18/protocol-message-formats.html#PROTOCOL-MESSAGE-FORMATS-SSLREQUEST */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** The address that the egress guard chose. */
export interface PinnedAddress {
  address: string;
  port: number;
}

function tlsOptions({ sslMode, host }: ConnectionTarget): ConnectionOptions {
  const servername = isIP(host) === 0 ? host : undefined;
  if (!sslMode.startsWith('verify')) return { rejectUnauthorized: false, servername };
  return {
    rejectUnauthorized: true,
    servername,
    checkServerIdentity: (_: string, certificate: PeerCertificate) =>
      sslMode === 'verify-full' ? checkServerIdentity(host, certificate) : undefined,
  };
}

/** Asks for TLS as libpq does. @throws when the target demands TLS and the server has none */
async function secure(socket: Socket, target: ConnectionTarget, signal: AbortSignal): Promise<Socket> {
  if (target.sslMode === 'disable') return socket;
  socket.write(SSL_REQUEST);
  const [answer] = (await once(socket, 'data', { signal })) as [Buffer];
  // Bytes behind the answer would come from somebody between us and the server (CVE-2021-23222).
  const word = answer.toString('latin1');
  if (word === 'N' && ['allow', 'prefer'].includes(target.sslMode)) return socket;
  if (word === 'N') throw new Error('the server does not support TLS');
  if (word !== 'S') throw Object.assign(new Error('no answer of Postgres'), { code: 'NOT_POSTGRES' });
  const encrypted = connectTls({ ...tlsOptions(target), socket });
  await once(encrypted, 'secureConnect', { signal });
  return encrypted;
}

/** Connects to the pinned address, with TLS as the target demands. */
export async function openConnection(
  target: ConnectionTarget,
  { address, port }: PinnedAddress,
): Promise<Socket> {
  const signal = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
  const socket = connect({ host: address, port, noDelay: true });
  try {
    await once(socket, 'connect', { signal });
    return await secure(socket, target, signal);
  } catch (error) {
    socket.on('error', () => undefined);
    socket.destroy();
    if (signal.aborted)
      throw Object.assign(new Error('connect timed out', { cause: error }), { code: 'ETIMEDOUT' });
    throw error;
  }
}
