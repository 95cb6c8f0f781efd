import { send } from './call.ts';

export interface StreamEvent {
  event: string;
  data: unknown;
}

function readEvent(block: string): StreamEvent | undefined {
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('event:')) event = line.slice(6).trim();
    else if (line.startsWith('data:')) data.push(line.slice(5).trim());
  }
  return data.length === 0 ? undefined : { event, data: JSON.parse(data.join('\n')) as unknown };
}

/** Reads server-sent events until the stream ends. EventSource could not send the header that the session needs. */
export async function* watch(path: string, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  const response = await send(path, { signal, headers: { accept: 'text/event-stream' } });
  if (response.body === null) return;
  let rest = '';
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = readEvent(block);
      if (event !== undefined) yield event;
    }
  }
}
