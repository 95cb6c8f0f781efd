import type { Services } from '../../platform/context.ts';
import { createBlobStore, type BlobStore } from '../blobs/blob-store.ts';
import { createFileStore, type FileStore } from './file-store.ts';

export interface KeptFiles {
  files: FileStore;
  blobs: BlobStore;
}

/** The configured store of files. */
export function openFileStore({ db, config }: Pick<Services, 'db' | 'config'>): KeptFiles {
  const blobs = createBlobStore({ db, quotaBytes: config.keptBytes });
  const baseUrl = (config.publicUrl ?? `http://${config.host}:${config.port}`).replace(/\/$/, '');
  return { blobs, files: createFileStore({ db, blobs, baseUrl, keptDays: config.fileDays }) };
}
