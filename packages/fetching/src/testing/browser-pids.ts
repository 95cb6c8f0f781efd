import { readdirSync, readFileSync } from 'node:fs';

/** Browser processes of this test process, by the mark on their command line. Linux only. */
export function browserPids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
        const isChild = Number(fields.split(' ')[1]) === process.pid;
        return isChild && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--gleaner-browser=');
      } catch {
        return false;
      }
    });
}
