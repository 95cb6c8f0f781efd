/** Where the bytes of blobs are. Names are made of the account and a hash, so that equal bytes have one name. */
export interface BlobContents {
  /** Rows hold the bytes, so that these change together with the row that names their dictionary. */
  isInRow: boolean;
  /** Bytes that the row of `gleaner.blobs` holds itself; undefined when this store has them elsewhere. */
  inRow(bytes: Buffer): Buffer | null;
  /** Stores bytes after their row; until then the row has none. Safe to repeat. */
  write(accountId: string, hash: string, bytes: Buffer): Promise<void>;
  /** @returns undefined when they were removed */
  read(accountId: string, hash: string, inRow: Buffer | null): Promise<Buffer | undefined>;
  /** Removes bytes in the transaction that removes their rows. Safe to repeat. */
  remove(accountId: string, hashes: readonly string[]): Promise<void>;
}

/** The bytes are in the row itself. */
export const postgresContents: BlobContents = {
  isInRow: true,
  inRow: (bytes) => bytes,
  write: () => Promise.resolve(),
  read: (_accountId, _hash, inRow) => Promise.resolve(inRow ?? undefined),
  remove: () => Promise.resolve(),
};
