// The entry point of all npm scripts: plain JavaScript for Node 18 or newer, without dependencies. It installs the
// dependencies, finds Node 24, bundles the processes when sources changed, and starts the command.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBundled } from './bundle-sources.mjs';
import { isInstalled } from './installed-packages.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = join(root, 'node_modules', '.bin');
const lock = join(root, '.gleaner-installing');

const ENTRIES = {
  start: ['dist/cli.js', 'start'],
  gleaner: ['dist/cli.js'],
  test: ['scripts/test.ts'],
  'test:system': ['scripts/test.ts', '--system'],
  verify: ['scripts/verify.ts'],
  bench: ['bench/main.ts'],
  chaos: ['test/chaos/main.ts'],
  'test:paused': ['test/paused/main.ts'],
  soak: ['test/soak/main.ts'],
  fuzz: ['test/fuzz/main.ts'],
  'sites:fake': ['test/sites-fake/main.ts'],
  'site:test': ['test/system/main.ts'],
  clients: ['scripts/clients/try-clients.ts'],
};

function say(line) {
  return process.stderr.write(`${line}\n`);
}

function fail(line) {
  say(line);
  process.exit(1);
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Installs once when several starts run at the same time: the first holds the lock folder, the others wait.
 * @param forDevelopment whether the command needs what tests and checks need
 */
async function install(forDevelopment) {
  for (let waits = 0; ; waits += 1) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') {
        fail(
          `gleaner: can't install into ${root} (${error.code}).\n  → Make the folder writable for this user.`,
        );
      }
    }
    if (isInstalled(root, { forDevelopment })) return;
    if (waits === 0) say('gleaner: another process installs the dependencies; waiting for it …');
    if (isAbandoned()) rmSync(lock, { recursive: true, force: true });
    await sleep(300);
  }
  const alive = setInterval(() => utimesSync(lock, new Date(), new Date()), 2000);
  const unlock = () => rmSync(lock, { recursive: true, force: true });
  process.once('exit', unlock);
  try {
    if (!isInstalled(root, { forDevelopment })) await runNpm(forDevelopment);
  } finally {
    clearInterval(alive);
    process.removeListener('exit', unlock);
    unlock();
  }
}

/** The installer touches its lock every 2 s. An old timestamp means that its process was killed. */
function isAbandoned() {
  try {
    return Date.now() - statSync(lock).mtimeMs > 15_000;
  } catch {
    return false;
  }
}

/**
 * What installs the packages. `npm ci` removes those that are there, so for development they are added to what the
 * service runs with, which takes a fraction of the time.
 */
function installCommand(forDevelopment) {
  if (!forDevelopment) return ['ci', '--omit=dev', '--include=optional'];
  const adds = isInstalled(root, { forDevelopment: false });
  return [...(adds ? ['install', '--no-save'] : ['ci']), '--include=dev', '--include=optional'];
}

/** Standard output stays clean for `--json`: everything goes to standard error, npm's output only on failure. */
async function runNpm(forDevelopment) {
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  const isTerminal = process.stderr.isTTY === true;
  const [what, size] = forDevelopment
    ? ['the packages of tests and checks', '1.1 GB with its own']
    : ['its packages', '0.7 GB'];
  say(
    `gleaner: installs ${what} (${size} on disk, once): a minute on a fast network and disk, up to four on slow ones …`,
  );
  const ticker = isTerminal
    ? setInterval(() => process.stderr.write(`\r  ${seconds()} s `), 1000)
    : setInterval(() => say(`  … ${seconds()} s`), 20_000);
  // npm sets these for its scripts; they would make the inner npm act on the outer one's options.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^npm_(config_(global|omit|include|only|production)|package_|lifecycle_)/i.test(name),
    ),
  );
  const command = installCommand(forDevelopment);
  const npm = process.env.npm_execpath?.endsWith('.js')
    ? [process.execPath, process.env.npm_execpath]
    : [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
  const child = spawn(npm[0], [...npm.slice(1), ...command, '--no-audit', '--no-fund'], {
    cwd: root,
    env: { ...env, NODE_ENV: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const listen = (chunk) => {
    output = `${output}${chunk}`.slice(-20_000);
  };
  child.stdout.on('data', listen);
  child.stderr.on('data', listen);
  const code = await new Promise((resolve) => {
    child.once('error', (error) => {
      listen(String(error));
      resolve(1);
    });
    child.once('close', resolve);
  });
  clearInterval(ticker);
  if (isTerminal) process.stderr.write('\r');
  if (code !== 0) {
    fail(
      `${output.trim()}\n\ngleaner: npm ${command[0]} failed (the lines above are its own).\n  → Check that the npm registry can be reached, then run the same command again.`,
    );
  }
  // The packages of Node hold 68 MB of C headers, which nothing here compiles against.
  for (const arch of ['arm64', 'x64'])
    rmSync(join(root, 'node_modules', `node-linux-${arch}`, 'include'), { recursive: true, force: true });
  say(`gleaner: installed in ${seconds()} s`);
}

/** Node 24 from the npm registry when there is one for this platform, else the running one if it is new enough. */
function findNode() {
  const packaged = join(bin, process.platform === 'win32' ? 'node.exe' : 'node');
  for (const candidate of [packaged, process.execPath]) {
    if (!existsSync(candidate)) continue;
    const answer = spawnSync(candidate, ['--version'], { encoding: 'utf8' });
    const major = Number.parseInt(String(answer.stdout).slice(1), 10);
    if (answer.status === 0 && major >= 24) return candidate;
  }
  return fail(
    `gleaner: needs Node 24 or newer; this is ${process.version}, and the npm registry has no Node package for ${process.platform}-${process.arch}.\n  → Install Node 24 (https://nodejs.org, or your version manager) and run the same command again.`,
  );
}

/** The processes run from dist/, which is bundled again when a source has changed (scripts/bundle.ts). */
function bundle(node) {
  if (isBundled()) return;
  const made = spawnSync(node, [join(root, 'scripts', 'bundle.ts')], { encoding: 'utf8', cwd: root });
  if (made.status !== 0) fail(`${made.stdout}${made.stderr}\ngleaner: the sources could not be bundled.`);
}

/** Runs the command in place of this process where Node can do so, which saves its 25 MB, else as a child. */
function handOver(node, entry, args) {
  const isBundle = entry[0].startsWith('dist/');
  const words = [
    ...(isBundle ? ['--enable-source-maps'] : []),
    join(root, entry[0]),
    ...entry.slice(1),
    ...args,
  ];
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` };
  // Node keeps what it compiled there for the next start. A new bundle replaces the folder.
  if (isBundle) env.NODE_COMPILE_CACHE ??= join(root, 'dist', '.compiled');
  if (entry === ENTRIES.start && process.platform !== 'win32' && process.execve !== undefined) {
    process.execve(node, [node, ...words], env);
  }
  // The channel closes when this process is killed, so that the child notices.
  const child = spawn(node, words, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env });
  // A terminal's Ctrl-C reaches the child by itself, but a signal sent to this process alone does not; the child
  // takes a repeated signal as one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => fail(`gleaner: ${node} could not be run: ${error.message}`));
  child.once('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 1)));
}

/** Stops when npm was killed, because a killed npm forwards no signal. */
function endWithNpm() {
  const npm = process.ppid;
  if (process.env.npm_lifecycle_event === undefined || npm <= 1) return;
  setInterval(() => {
    if (process.ppid !== npm) process.kill(process.pid, 'SIGTERM');
  }, 1000).unref();
}

async function main() {
  const [command, ...args] = process.argv.slice(2);
  const entry = ENTRIES[command];
  if (!entry) fail(`usage: node scripts/run.mjs ${Object.keys(ENTRIES).join('|')} [arguments]`);
  // The service runs from dist/; all other commands are for development.
  const forDevelopment = !entry[0].startsWith('dist/');
  if (!isInstalled(root, { forDevelopment })) await install(forDevelopment);
  endWithNpm();
  const node = findNode();
  if (!forDevelopment) bundle(node);
  if (!existsSync(join(root, entry[0]))) fail(`gleaner: ${command} does not exist (${entry[0]}).`);
  handOver(node, entry, args);
}

await main();
