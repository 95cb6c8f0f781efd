import { expect, it } from 'vitest';
import { createLogSink } from './log-sink.ts';

it('shows what processes log without what could steer the terminal', () => {
  const lines: string[] = [];
  const sink = createLogSink((line) => lines.push(line), true);
  const hostile = 'a\u009B2J\u001B]0;x\u0007b';
  sink.line('worker', JSON.stringify({ level: 40, time: 0, msg: hostile, url: hostile, deep: { hostile } }));
  sink.line('worker', JSON.stringify({ level: 50, time: 0, msg: 'x', err: { stack: hostile } }));
  sink.line('worker', hostile);
  expect(lines).toHaveLength(3);
  // The only sequences left are the sink's colours.
  for (const line of lines) {
    expect(line.replaceAll(/\u001B\[\d+m/g, '')).not.toMatch(/[\u0000-\u001F\u007F-\u009F]/);
  }
});
