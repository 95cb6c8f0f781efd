/**
 * Short messages between processes. They are gathered and sent a moment later, and they get lost without a listener or
 * while the backend is away: a process that waits for one must also look at the tables now and then.
 */
export interface Signals {
  /** Whether only our own processes can send. If not, a message is a hint that the tables must confirm. */
  readonly areTrusted: boolean;
  /** Sends one line of text soon. Never throws. */
  send(channel: string, message: string): void;
  listen(channel: string, onMessage: (message: string) => void): Promise<{ close(): Promise<void> }>;
}

export interface Message {
  channel: string;
  message: string;
}

/**
 * Gathers messages of one iteration of the event loop, and messages sent while the last ones are on their way.
 * @param transmit a failure is reported to `onError`, and its messages are lost
 */
export function createSender(
  transmit: (messages: readonly Message[]) => Promise<unknown>,
  onError: (error: unknown) => void,
): Signals['send'] {
  let gathered: Message[] = [];
  let isBusy = false;
  const flush = async (): Promise<void> => {
    while (gathered.length > 0) {
      const messages = gathered;
      gathered = [];
      await transmit(messages).catch(onError);
    }
    isBusy = false;
  };
  return (channel, message) => {
    gathered.push({ channel, message });
    if (isBusy) return;
    isBusy = true;
    setImmediate(() => void flush());
  };
}
