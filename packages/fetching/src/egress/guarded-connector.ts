import net, { type Socket, type LookupFunction } from 'node:net';
import tls, { type PeerCertificate, type TLSSocket } from 'node:tls';
import { LRUCache } from 'lru-cache';
import type { buildConnector } from 'undici';
import type { EgressGuard, PinnedAddress } from './index.ts';
import { portOf } from './target-url.ts';
import type dns from 'node:dns';

/** A DNS lookup that always returns the addresses that the guard has checked. */
export function createPinnedLookup(addresses: readonly PinnedAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}

/** proxy-chain hands its lookup to Node's sockets, which always call it with options and a callback. */
export function asDnsLookup(lookup: LookupFunction): typeof dns.lookup {
  return lookup as typeof dns.lookup;
}

interface GuardedConnectorOptions {
  /** Limit on name resolution, TCP and TLS together. Default 10 s. */
  connectTimeoutMs?: number;
  /** Further certificate authorities to trust (tests). */
  ca?: string;
}

const MAX_TLS_SESSIONS = 500;

function failure(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}

/**
 * Applies the guard to undici. Node never calls a custom `lookup` for address literals, so the guard decides before
 * the socket is created, and the socket connects to a checked address, never to a name.
 */
export function createGuardedConnector(
  guard: EgressGuard,
  { connectTimeoutMs = 10_000, ca }: GuardedConnectorOptions = {},
): buildConnector.connector {
  const sessions = new LRUCache<string, Buffer>({ max: MAX_TLS_SESSIONS });
  const context =
    ca === undefined ? undefined : tls.createSecureContext({ ca: [...tls.rootCertificates, ca] });

  const open = (
    { hostname, protocol, port }: buildConnector.Options,
    addresses: readonly PinnedAddress[],
  ): Socket | TLSSocket => {
    const [first] = addresses;
    const isSingle = addresses.length === 1;
    const tcp = {
      host: isSingle && first !== undefined ? first.address : hostname,
      port: portOf({ port, protocol }),
      lookup: createPinnedLookup(addresses),
      autoSelectFamily: !isSingle,
    };
    if (protocol !== 'https:') {
      // As in undici's own connector. Node accepts the option but does not declare it.
      const plain = { ...tcp, highWaterMark: 65_536 };
      return net.connect(plain);
    }
    const servername = net.isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname.replace(/\.$/, '') : '';
    const sessionKey = `${hostname}:${port}`;
    const secure = {
      ...tcp,
      highWaterMark: 16_384,
      ...(servername === '' ? {} : { servername }),
      ALPNProtocols: ['http/1.1', 'h2'],
      session: sessions.get(sessionKey),
      secureContext: context,
      // Names are checked against the URL's host, not against the pinned address that `host` holds.
      checkServerIdentity: (_host: string, certificate: PeerCertificate) =>
        tls.checkServerIdentity(servername === '' ? (first?.address ?? '') : servername, certificate),
    };
    const socket = tls.connect(secure);
    socket.on('session', (session: Buffer) => {
      sessions.set(sessionKey, session);
    });
    return socket;
  };

  return (options, callback) => {
    let isOver = false;
    let socket: Socket | TLSSocket | undefined;
    const finish = (error: Error | null): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      if (error === null && socket !== undefined) callback(null, socket);
      else {
        socket?.destroy();
        callback(error ?? failure('no socket', 'ECONNRESET'), null);
      }
    };
    const timer = setTimeout(
      () => finish(failure('connecting took too long', 'UND_ERR_CONNECT_TIMEOUT')),
      connectTimeoutMs,
    );
    guard
      .decide(options.hostname, portOf(options))
      .then((addresses) => {
        if (isOver) return;
        socket = open(options, addresses);
        socket.setKeepAlive(true, 60_000).setNoDelay(true);
        socket.once(options.protocol === 'https:' ? 'secureConnect' : 'connect', () => finish(null));
        // The listener stays, because an error between connecting and undici's own listener would end the process.
        socket.on('error', finish);
      })
      .catch((error: unknown) => finish(error instanceof Error ? error : new Error(String(error))));
  };
}
