import { expect, it } from 'vitest';
import { createKeyedTurns, createTurns } from './turns.ts';

function openWork() {
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    running,
    work: (name: string) => async () => {
      running.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      running.splice(running.indexOf(name), 1);
      return name;
    },
    end: async (name: string): Promise<void> => {
      ends.get(name)?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

it('runs so much at the same time, and the rest in order', async () => {
  const { running, work, end } = openWork();
  const turns = createTurns(2);
  const all = Promise.all(['a', 'b', 'c', 'd'].map((name) => turns(work(name))));
  expect(running).toEqual(['a', 'b']);
  await end('b');
  expect(running).toEqual(['a', 'c']);
  await end('a');
  await end('c');
  await end('d');
  expect(await all).toEqual(['a', 'b', 'c', 'd']);
});

it('goes on after work that failed', async () => {
  const turns = createTurns(1);
  const failed = turns(() => Promise.reject(new Error('no')));
  const next = turns(() => Promise.resolve('yes'));
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('yes');
});

it('lets each key have its own turns', async () => {
  const { running, work, end } = openWork();
  const turns = createKeyedTurns(1);
  const all = Promise.all([turns('one', work('a')), turns('one', work('b')), turns('two', work('c'))]);
  expect(running).toEqual(['a', 'c']);
  await end('a');
  expect(running).toEqual(['c', 'b']);
  await end('b');
  await end('c');
  expect(await all).toEqual(['a', 'b', 'c']);
});

it('lets work leave that waits, and starts none whose signal is aborted', async () => {
  const { running, work, end } = openWork();
  const turns = createTurns(1);
  const leaving = new AbortController();
  const first = turns(work('a'));
  const left = turns(work('b'), leaving.signal);
  const last = turns(work('c'));
  leaving.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  await expect(turns(work('d'), leaving.signal)).rejects.toThrow('gone');
  await end('a');
  expect(running).toEqual(['c']);
  await end('c');
  expect(await Promise.all([first, last])).toEqual(['a', 'c']);
});
