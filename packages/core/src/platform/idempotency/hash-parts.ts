import { createHash, type Hash } from 'node:crypto';
import type { UploadPart } from '@gleaner/contracts';

async function* hashStream(
  stream: AsyncIterable<Uint8Array>,
  hash: Hash,
): AsyncGenerator<Uint8Array, void, undefined> {
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    hash.update(chunk);
    yield chunk;
  }
  hash.update(`\n${size}\n`);
}

async function* hashEach(
  parts: AsyncIterable<UploadPart>,
  hash: Hash,
): AsyncGenerator<UploadPart, void, undefined> {
  for await (const part of parts) {
    const { kind, name } = part;
    if (kind === 'field') {
      hash.update(`${JSON.stringify([kind, name, part.value])}\n`);
      yield part;
    } else {
      hash.update(`${JSON.stringify([kind, name, part.filename, part.contentType])}\n`);
      yield { ...part, stream: hashStream(part.stream, hash) };
    }
  }
}

/** Hashes an upload while it is read, so that uploads can be compared without storing them. */
export function hashParts(upload: AsyncIterable<UploadPart>) {
  const hash = createHash('sha256');
  const parts = hashEach(upload, hash);
  return {
    /** The same parts, hashed while they are read. */
    parts,
    /** Reads the remaining parts only for the digest. */
    drain: async (): Promise<void> => {
      for await (const part of parts) {
        if (part.kind === 'file') for await (const _ of part.stream);
      }
    },
    /** SHA-256 of names, types and contents so far, without boundaries. */
    digest: (): Buffer => hash.copy().digest(),
  };
}
