import { describe, expect, it } from 'vitest';
import { API_OPERATIONS, PREBUILT_APIS, apiDescriptionSchema, describeApi } from './index.ts';
import type { PrebuiltApi } from './index.ts';

const apis: PrebuiltApi[] = Object.values(PREBUILT_APIS);

function faultsOf(id: keyof typeof PREBUILT_APIS, input: unknown): string[] {
  return (PREBUILT_APIS[id].input.safeParse(input).error?.issues ?? []).map((issue) => issue.path.join('.'));
}

describe('prebuilt APIs', () => {
  it.each(apis.map((api) => [api.id, api] as const))('%s has a valid example and description', (id, api) => {
    expect(api.path).toBe(`/v1/${id}`);
    expect(api.input.parse(api.example.input)).toMatchObject(api.example.input);
    expect(api.output.strict().parse(api.example.answer)).toEqual(api.example.answer);
    const description = apiDescriptionSchema.parse(describeApi(api));
    expect(Object.keys(description.input_schema['properties'] ?? {})).toEqual(Object.keys(api.input.shape));
    expect(description.output_schema).toMatchObject({ type: 'object' });
  });

  it('gives the GET and POST form of each API unique names', () => {
    const operations = Object.values(API_OPERATIONS).flatMap(({ get, post }) => [get, post]);
    expect(operations).toHaveLength(24);
    expect(new Set(operations.map((operation) => operation.id)).size).toBe(24);
    expect(operations.map((operation) => operation.id)).toContain('getVideositeChannelVideos');
  });

  it('uses a field of the row as the key of rows', () => {
    for (const api of apis) {
      const list = api.rowKey.list === undefined ? undefined : api.example.answer[api.rowKey.list];
      const row: unknown = Array.isArray(list) ? list[0] : api.example.answer;
      for (const { path } of api.rowKey.key) {
        const value = path
          .split('.')
          .reduce<unknown>((node, part) => (node as Record<string, unknown>)[part], row);
        expect(typeof value, `${api.id} ${path}`).toBe('string');
      }
    }
  });

  it('reports the missing parameter of a first or later page', () => {
    expect(faultsOf('photoapp-reels', { continuation: 'x' })).toContain('user_id');
    expect(faultsOf('photoapp-reels', {})).toEqual(['username']);
    expect(faultsOf('photoapp-reels', { user_id: '1', continuation: 'x' })).toEqual([]);
    expect(faultsOf('photoapp-reels', { username: 'a', page_size: '51' })).toEqual(['page_size']);
    expect(faultsOf('photoapp-posts', { cursor: 'x', username: 'a' })).toEqual(['user_id']);
    expect(faultsOf('videosite-channel-videos', {})).toEqual(['channel_id']);
    expect(faultsOf('videosite-channel-videos', { channel_id: '@handle' })).toEqual(['channel_id']);
    expect(faultsOf('videosite-video', {})).toEqual(['video_id']);
    expect(faultsOf('realty-search', { query: 'x', next_url: 'y' })).toEqual(['next_url']);
    expect(faultsOf('pronet-post', {})).toEqual(['url']);
    expect(faultsOf('photoapp-profile', { username: 'a/../b' })).toEqual(['username']);
  });

  it('accepts page lengths as text and as numbers, and defaults to 12', () => {
    const { input } = PREBUILT_APIS['photoapp-posts'];
    expect(input.parse({ username: 'a' }).first).toBe(12);
    expect(input.parse({ username: 'a', first: '30' }).first).toBe(30);
    expect(input.parse({ username: 'a', first: 30 }).first).toBe(30);
  });
});
