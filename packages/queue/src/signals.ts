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

export interface Parcel {
  channel: string;
  /** Lines. */
  text: string;
}

/** Joins the messages of each channel to parcels of limited length; a longer message has its own. */
export function packMessages(
  messages: readonly { channel: string; message: string }[],
  maxCharacters: number,
): Parcel[] {
  const parcels: Parcel[] = [];
  const open = new Map<string, Parcel>();
  for (const { channel, message } of messages) {
    const parcel = open.get(channel);
    if (parcel && parcel.text.length + 1 + message.length <= maxCharacters) {
      parcel.text += `\n${message}`;
      continue;
    }
    const fresh = { channel, text: message };
    open.set(channel, fresh);
    parcels.push(fresh);
  }
  return parcels;
}

/**
 * Gathers messages of one iteration of the event loop, and messages sent while the last parcels are on their way.
 * @param transmit sends parcels; a failure is reported to `onError` and the parcels are lost
 */
export function createSender(options: {
  maxCharacters: number;
  transmit: (parcels: Parcel[]) => Promise<unknown>;
  onError: (error: unknown) => void;
}): Signals['send'] {
  let gathered: { channel: string; message: string }[] = [];
  let isBusy = false;
  const flush = async (): Promise<void> => {
    while (gathered.length > 0) {
      const messages = gathered;
      gathered = [];
      try {
        await options.transmit(packMessages(messages, options.maxCharacters));
      } catch (error) {
        options.onError(error);
      }
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
