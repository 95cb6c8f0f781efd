import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { once } from 'node:events';
import path from 'node:path';
import { createBrotliDecompress } from 'node:zlib';
import { expect, it } from 'vitest';

it('has a packaged Chromium for x64, the only processor that it is used on', async () => {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const archive = createReadStream(path.join(path.dirname(entry), '..', 'bin', 'chromium.br'));
  const program = archive.pipe(createBrotliDecompress());
  const [start] = (await once(program, 'data')) as [Buffer];
  archive.destroy();
  program.destroy();
  expect(start.toString('latin1', 1, 4)).toBe('ELF');
  // e_machine of an ELF file's header: EM_X86_64.
  expect(start.readUInt16LE(18)).toBe(62);
});
