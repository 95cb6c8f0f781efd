import type { Download } from '@gleaner/client';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { saveDownload } from './save-download.ts';

// A page's title that clears the screen and renames the window, in both forms of the controls, cut at each byte.
const HOSTILE = 'title\n\u001b[2J\u001b]0;x\u0007\u009b2J\u202eé\n';

function download(): Download {
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const byte of Buffer.from(HOSTILE)) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  return { stream } as unknown as Download;
}

async function written(isTTY: boolean): Promise<Buffer> {
  const output = Object.assign(new PassThrough(), { isTTY });
  await saveDownload(download(), undefined, output);
  output.end();
  return buffer(output);
}

it('lets no page steer the terminal on which an export is printed', async () => {
  expect((await written(true)).toString()).toMatch(/^title\n[^\p{Cc}\p{Cf}]*é\n$/u);
});

it('leaves an export in a pipe as it is', async () => {
  expect((await written(false)).toString()).toBe(HOSTILE);
});
