import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A SOCKS5 proxy (RFC 1928, with the passwords of RFC 1929) for one user, to addresses on this machine. */
export async function startTestSocks(user: string, password: string) {
  const hosts: string[] = [];
  const sockets = new Set<Socket>();
  const read = async (socket: Socket): Promise<Buffer> => ((await once(socket, 'data')) as [Buffer])[0];

  const serve = async (socket: Socket): Promise<void> => {
    await read(socket);
    socket.write(Buffer.from([5, 2]));
    const login = await read(socket);
    const nameLength = login[1] ?? 0;
    const name = login.subarray(2, 2 + nameLength).toString();
    const given = login.subarray(3 + nameLength).toString();
    const isKnown = name === user && given === password;
    socket.write(Buffer.from([1, isKnown ? 0 : 1]));
    if (!isKnown) {
      socket.end();
      return;
    }
    const command = await read(socket);
    const isName = command[3] === 3;
    const host = isName
      ? command.subarray(5, 5 + (command[4] ?? 0)).toString()
      : command.subarray(4, 8).join('.');
    const port = command.readUInt16BE(command.length - 2);
    hosts.push(`${host}:${port}`);
    const target = connect(port, '127.0.0.1', () => {
      socket.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]));
      socket.pipe(target).pipe(socket);
    });
    target.on('error', () => socket.destroy());
  };

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    serve(socket).catch(() => socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `socks5://${user}:${password}@127.0.0.1:${port}`,
    hosts,
    close: async (): Promise<void> => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
