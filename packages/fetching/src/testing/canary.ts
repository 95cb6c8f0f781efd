import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A forbidden port on loopback: it counts every connection and datagram, with any content. */
export interface Canary {
  readonly port: number;
  /** The first line of each connection or datagram. */
  hits(): readonly string[];
  close(): Promise<void>;
}

const ANSWER =
  'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\naccess-control-allow-origin: *\r\nconnection: close\r\ncontent-length: 6\r\n\r\nCANARY';

/** Listens with TCP and UDP on one port of 127.0.0.1, and of ::1 where the machine has it. */
export async function startCanary(): Promise<Canary> {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const onConnection = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    const at = seen.push('connection') - 1;
    socket.once('data', (data) => {
      seen[at] = data.toString('latin1').split('\r\n')[0] ?? '';
      socket.end(ANSWER);
    });
    socket.on('error', () => undefined);
  };
  const tcp = createServer(onConnection).listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const { port } = tcp.address() as AddressInfo;
  const tcp6 = createServer(onConnection).listen(port, '::1');
  const hasV6 = await Promise.race([
    once(tcp6, 'listening').then(() => true),
    once(tcp6, 'error').then(() => false),
  ]);
  const udp = createSocket('udp4').bind(port, '127.0.0.1');
  await once(udp, 'listening');
  udp.on('message', () => seen.push('datagram'));
  return {
    port,
    hits: () => seen,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      tcp.close();
      if (hasV6) tcp6.close();
      udp.close();
    },
  };
}
