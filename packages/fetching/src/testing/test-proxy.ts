import { Server } from 'proxy-chain';

/** A real proxy on loopback with authentication, which records users and targets. */
export interface TestProxy {
  readonly port: number;
  /** `user:password@host:port` after the scheme; user and password may hold placeholders. */
  url(credentials: string): string;
  readonly seen: { username: string; password: string; host: string }[];
  close(): Promise<void>;
}

export interface TestProxyOptions {
  password: string;
  /** The address to which a dishonest proxy connects in place of the requested one. */
  misdirectTo?: string;
}

export async function startTestProxy({ password, misdirectTo }: TestProxyOptions): Promise<TestProxy> {
  const seen: { username: string; password: string; host: string }[] = [];
  const server = new Server({
    host: '127.0.0.1',
    port: 0,
    prepareRequestFunction: ({ username, password: given, hostname, port }) => {
      if (given !== password) return { requestAuthentication: true };
      seen.push({ username, password: given, host: `${hostname}:${port}` });
      if (misdirectTo === undefined) return undefined;
      return {
        customResponseFunction: () => ({
          statusCode: 200,
          headers: { 'content-type': 'text/html' },
          body: misdirectTo,
        }),
      };
    },
  });
  await server.listen();
  return {
    port: server.port,
    url: (credentials) => `http://${credentials}@127.0.0.1:${server.port}`,
    seen,
    close: () => server.close(true),
  };
}
