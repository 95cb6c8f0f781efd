import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Fault } from '../fault.ts';
import { extractApi } from './extract-api.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gleaner-extract-'));
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(() => {
  process.exitCode = undefined;
});

async function record(name: string, value: unknown): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, name.endsWith('.gz') ? gzipSync(JSON.stringify(value)) : JSON.stringify(value));
  return path;
}

const player = {
  playabilityStatus: { status: 'OK' },
  videoDetails: { videoId: 'aB3dE5gH7jK', title: 'Why bridges hum', lengthSeconds: '65' },
};
const next = {
  contents: {},
  engagementPanels: [
    {
      engagementPanelSectionListRenderer: {
        panelIdentifier: 'comment-item-section',
        header: { engagementPanelTitleHeaderRenderer: { contextualInfo: { runs: [{ text: '212' }] } } },
      },
    },
  ],
};
const answer = { id: 'aB3dE5gH7jK', duration: '1:05', metrics: { comment_count: 212 } };

describe('extract --api', () => {
  it('distinguishes the calls of one answer by their content', async () => {
    const files = [await record('next.json', next), await record('player.json.gz', player)];
    expect(await extractApi('videosite-video', files, undefined)).toMatchObject(answer);
    expect(await extractApi('videosite-video', files.toReversed(), undefined)).toMatchObject(answer);
    expect(process.exitCode).toBeUndefined();
  });

  it('takes a response out of a recorder’s wrapper, its status included', async () => {
    const wrapper = {
      request: { url: 'https://www.instagram.com/x/' },
      response: { responseCode: 429, responseBody: '' },
    };
    expect(
      await extractApi('photoapp-profile', [await record('wrapped.json', wrapper)], undefined),
    ).toMatchObject({ outcome: 'rate_limited' });
  });

  it('gives the typed outcome and exit code 2 where there is no data', async () => {
    const gone = await record('gone.json', {
      playabilityStatus: { status: 'ERROR', reason: 'Video unavailable' },
    });
    expect(await extractApi('videosite-video', [gone], undefined)).toEqual({
      outcome: 'not_found',
      evidence: 'playabilityStatus ERROR: Video unavailable',
    });
    expect(process.exitCode).toBe(2);
  });

  it('names the APIs there are', async () => {
    await expect(extractApi('photoapp-video', [], undefined)).rejects.toThrow(/photoapp-profile/);
  });

  it('reports files that it can’t read, and APIs that are not there, as mistakes', async () => {
    const broken = join(folder, 'broken.gz');
    await writeFile(broken, Buffer.from([0x1f, 0x8b, 0, 0]));
    for (const [id, file, reason] of [
      ['videosite-video', join(folder, 'absent'), /can’t read .*absent: ENOENT/],
      ['videosite-video', broken, /can’t read .*broken\.gz: /],
      ['photoapp-video', broken, /there is no prebuilt API/],
    ] as const) {
      const fault = await extractApi(id, [file], undefined).catch((error: unknown) => error);
      expect(fault).toBeInstanceOf(Fault);
      expect(fault).toMatchObject({ message: expect.stringMatching(reason) });
    }
  });
});
