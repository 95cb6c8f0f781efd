/** Waits for a server that listens on a port. Ends the process with a sentence when another program has the port. */
export async function orNamePort<T>(starting: Promise<T>, port: number, command: string): Promise<T> {
  return starting.catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    console.error(`Port ${port} is in use. Choose another: PORT=${port + 1} npm run ${command}`);
    process.exit(1);
  });
}
